const TYPE_AND_LENGTH = 5;
const STARTUP_LENGTH = 4;

/**
 * Splits the bytes of a PostgreSQL client into units: one statement with all its messages up to Query or Sync, or one other
 * message.
 * @param onUnit gets the statement's text; for other messages undefined
 */
export function startUnitReader(
  onUnit: (bytes: Buffer, statement: string | undefined) => void,
): (bytes: Buffer) => void {
  const prepared = new Map<string, string>();
  let rest = Buffer.alloc(0);
  let unit: Buffer[] = [];
  let text: string | undefined;
  let isStarted = false;

  const read = (type: string, content: Buffer) => {
    const [first = '', second = ''] = content.toString('utf8').split('\0');
    if (type === 'Q') text = first;
    if (type === 'P') prepared.set(first, (text = second));
    if (type === 'B') text ??= prepared.get(second);
  };
  const finish = (statement: string | undefined) => {
    const bytes = Buffer.concat(unit);
    unit = [];
    text = undefined;
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
      if (type === 'Q' || type === 'S') finish(text ?? '');
      else if (!'PBDECH'.includes(type)) finish(undefined);
    }
  };
}
