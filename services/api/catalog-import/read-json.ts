import type { CatalogRecord, FindUnchanged, UnchangedEntry } from './catalog-file';
import { cutArray, cutLines, type Cutter, type JsonPiece, UncuttableError } from './cut-json';
import type { IssueList, Place } from './issue';
import { digestEntry } from './unchanged-entries.repository';

/** Reads a JSON file: an array of tours, or `{"tours": […]}`. Ends at a syntax error: what follows may belong to any entry. */
export async function* readJson(
  file: string,
  text: AsyncIterable<string>,
  issues: IssueList,
  findUnchanged?: FindUnchanged,
): AsyncGenerator<CatalogRecord[]> {
  let index = 0;
  for await (const pieces of cutPieces(cutArray(), text, file, issues)) {
    const records: CatalogRecord[] = [];
    for (const entry of await toEntries(pieces, findUnchanged)) {
      const record = toRecord({ file, index }, entry);
      if (typeof record === 'string') {
        const { line, text: faulty } = entry.piece;
        issues.add([{ file, line: line + lineOfError(faulty.trimStart()) - 1, field: '', message: record }]);
        yield records;
        return;
      }
      records.push(record);
      index++;
    }
    yield records;
  }
}

/** Reads a JSON lines file, with one tour in each line. */
export async function* readJsonLines(
  file: string,
  text: AsyncIterable<string>,
  issues: IssueList,
  findUnchanged?: FindUnchanged,
): AsyncGenerator<CatalogRecord[]> {
  for await (const pieces of cutPieces(cutLines(), text, file, issues)) {
    yield (await toEntries(pieces, findUnchanged)).flatMap((entry): CatalogRecord[] => {
      const place = { file, line: entry.piece.line };
      const record = toRecord(place, entry);
      if (typeof record !== 'string') return [record];
      issues.add([{ ...place, field: '', message: record }]);
      return [];
    });
  }
}

interface JsonEntry {
  piece: JsonPiece;
  digest?: string;
  unchanged?: UnchangedEntry;
}

async function toEntries(
  pieces: JsonPiece[],
  findUnchanged: FindUnchanged | undefined,
): Promise<JsonEntry[]> {
  if (!findUnchanged || pieces.length === 0) return pieces.map((piece) => ({ piece }));
  const digests = pieces.map((piece) => digestEntry(piece.text));
  const found = await findUnchanged(digests);
  return pieces.map((piece, at) => ({
    piece,
    digest: digests[at],
    unchanged: found.get(digests[at]!),
  }));
}

/** @returns the message of the syntax error, if there is one */
function toRecord(place: Place, { piece, digest, unchanged }: JsonEntry): CatalogRecord | string {
  if (unchanged) {
    // The text is valid JSON: an import stores only digests of parsed entries.
    return {
      ...{ place, digest, unchanged },
      get value() {
        return JSON.parse(piece.text) as unknown;
      },
    };
  }
  const parsed = parseJson(piece.text);
  return 'error' in parsed ? parsed.error : { place, value: parsed.value, digest };
}

async function* cutPieces(
  cutter: Cutter,
  text: AsyncIterable<string>,
  file: string,
  issues: IssueList,
): AsyncGenerator<JsonPiece[]> {
  try {
    for await (const chunk of text) yield cutter.push(chunk);
    yield cutter.end();
  } catch (error) {
    if (!(error instanceof UncuttableError)) throw error;
    issues.add([{ file, line: error.line, field: '', message: error.message }]);
  }
}

function parseJson(text: string): { value: unknown } | { error: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    // The engine's message repeats the text with its line breaks.
    return { error: `must be JSON: ${(error as SyntaxError).message.replace(/\s+/g, ' ')}` };
  }
}

/** Finds a syntax error by a binary search for the longest valid beginning, because the engine does not always report it. */
function lineOfError(text: string): number {
  let [valid, invalid] = [0, text.length];
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (isOnlyUnfinished(text.slice(0, middle))) valid = middle;
    else invalid = middle;
  }
  return text.slice(0, invalid).split('\n').length;
}

function isOnlyUnfinished(beginning: string): boolean {
  const parsed = parseJson(beginning);
  if (!('error' in parsed)) return true;
  const position = Number(/at position (\d+)/.exec(parsed.error)?.[1] ?? -1);
  return position >= beginning.length || parsed.error.includes('end of JSON input');
}
