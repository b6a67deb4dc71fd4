const TYPE_AND_LENGTH = 5;
const STARTUP_LENGTH = 4;

/**
 * Splits the bytes of a PostgreSQL client into units. A unit ends with a Query or Sync message, and contains the messages of its
 * statements. Any other message is a unit of its own.
 * @param onUnit gets the bytes of a unit, and the texts of its statements with `; ` between them; undefined for a unit without
 * statements
 */
export function startUnitReader(
  onUnit: (bytes: Buffer, statement: string | undefined) => void,
): (bytes: Buffer) => void {
  const prepared = new Map<string, string>();
  let rest = Buffer.alloc(0);
  let unit: Buffer[] = [];
  let texts: string[] = [];
  let isStarted = false;

  const read = (type: string, content: Buffer) => {
    const [first = '', second = ''] = content.toString('utf8').split('\0');
    if (type === 'Q') texts.push(first);
    if (type === 'P') prepared.set(first, second);
    if (type === 'B') texts.push(prepared.get(second)!);
  };
  const finish = (statement: string | undefined) => {
    const bytes = Buffer.concat(unit);
    unit = [];
    texts = [];
    onUnit(bytes, statement);
  };

  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const head = isStarted ? TYPE_AND_LENGTH : STARTUP_LENGTH;
      if (rest.length < head) return;
      const length = rest.readInt32BE(head - 4) + head - 4;
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      unit.push(message);
      const type = isStarted ? String.fromCharCode(message[0]!) : 'startup';
      isStarted = true;
      read(type, message.subarray(head));
      if (type === 'Q' || type === 'S') finish(texts.join('; '));
      else if (!'PBDECH'.includes(type)) finish(undefined);
    }
  };
}
