import type { CatalogRecord } from './catalog-record';
import { cutArray, cutLines, type Cutter, type JsonPiece, UncuttableError } from './cut-json';
import { digestEntry } from './entry-digest';
import type { Place } from './fault';
import type { FaultList } from './fault-list';
import type { KnownTour, Recall } from './known-tour';

/** A JSON file: an array of tours, or `{"tours": […]}`. What follows a syntax error is not read: nobody knows what it belongs to. */
export async function* readJson(
  file: string,
  text: AsyncIterable<string>,
  faults: FaultList,
  recall?: Recall,
): AsyncGenerator<CatalogRecord[]> {
  let index = 0;
  for await (const pieces of cutUp(cutArray(), text, file, faults)) {
    const records: CatalogRecord[] = [];
    for (const { piece, ...recalled } of await recallPieces(pieces, recall)) {
      const place: Place = { file, index, field: '' };
      if (recalled.known) {
        records.push(knownRecord(place, piece, recalled));
        index++;
        continue;
      }
      const parsed = parse(piece.text);
      if ('fault' in parsed) {
        const line = piece.line + faultyLine(piece.text.trimStart()) - 1;
        faults.add([{ file, line, field: '', message: parsed.fault }]);
        yield records;
        return;
      }
      records.push({ place, value: parsed.value, digest: recalled.digest });
      index++;
    }
    yield records;
  }
}

/** A JSON lines file: a tour a line. */
export async function* readJsonLines(
  file: string,
  text: AsyncIterable<string>,
  faults: FaultList,
  recall?: Recall,
): AsyncGenerator<CatalogRecord[]> {
  for await (const pieces of cutUp(cutLines(), text, file, faults)) {
    yield (await recallPieces(pieces, recall)).flatMap(({ piece, ...recalled }): CatalogRecord[] => {
      const place: Place = { file, line: piece.line, field: '' };
      if (recalled.known) return [knownRecord(place, piece, recalled)];
      const parsed = parse(piece.text);
      if (!('fault' in parsed)) return [{ place, value: parsed.value, digest: recalled.digest }];
      faults.add([{ ...place, message: parsed.fault }]);
      return [];
    });
  }
}

interface Recalled {
  digest?: string;
  known?: KnownTour;
}

async function recallPieces(
  pieces: JsonPiece[],
  recall: Recall | undefined,
): Promise<(Recalled & { piece: JsonPiece })[]> {
  if (!recall || pieces.length === 0) return pieces.map((piece) => ({ piece }));
  const digests = pieces.map((piece) => digestEntry(piece.text));
  const known = await recall(digests);
  return pieces.map((piece, at) => ({ piece, digest: digests[at], known: known.get(digests[at]!) }));
}

/** Its text was read before, or it would not be known. */
function knownRecord(place: Place, { text }: JsonPiece, recalled: Recalled): CatalogRecord {
  return {
    ...{ place, ...recalled },
    get value() {
      return JSON.parse(text) as unknown;
    },
  };
}

async function* cutUp(
  cutter: Cutter,
  text: AsyncIterable<string>,
  file: string,
  faults: FaultList,
): AsyncGenerator<JsonPiece[]> {
  try {
    for await (const chunk of text) yield cutter.push(chunk);
    yield cutter.end();
  } catch (error) {
    if (!(error instanceof UncuttableError)) throw error;
    faults.add([{ file, line: error.line, field: '', message: error.message }]);
  }
}

function parse(text: string): { value: unknown } | { fault: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    // The engine quotes what it read, line breaks and all.
    return { fault: `must be JSON: ${(error as SyntaxError).message.replace(/\s+/g, ' ')}` };
  }
}

/** The engine does not always say where it stumbled: halve the text to the longest beginning that is only unfinished. */
function faultyLine(text: string): number {
  let [sound, faulty] = [0, text.length];
  while (faulty - sound > 1) {
    const middle = Math.floor((sound + faulty) / 2);
    if (isOnlyUnfinished(text.slice(0, middle))) sound = middle;
    else faulty = middle;
  }
  return text.slice(0, faulty).split('\n').length;
}

function isOnlyUnfinished(beginning: string): boolean {
  const parsed = parse(beginning);
  if (!('fault' in parsed)) return true;
  const position = Number(/at position (\d+)/.exec(parsed.fault)?.[1] ?? -1);
  return position >= beginning.length || parsed.fault.includes('end of JSON input');
}
