import { createReadStream } from 'node:fs';
import path from 'node:path';
import { CsvError } from 'csv-parse';
import {
  CATALOG_FILE_TYPES,
  type CatalogRecord,
  type Issue,
  type IssueList,
  type KnownDigests,
  NO_LINE_BREAK,
} from './catalog-file';
import {
  cutArray,
  cutLines,
  findRepeatedKey,
  type JsonIssue,
  type JsonPiece,
  UncuttableError,
} from './cut-json';
import { parseWritten } from './written-numbers';
import { CsvHead, parseCsvRows, readCsv } from './catalog-csv';

const BYTES_A_CHUNK = 256 * 1024;

/**
 * Reads one catalog file a chunk at a time.
 * @param onBytes receives the number of bytes read since its last call
 * @param known undefined: parses every entry
 * @throws the file system's error for a file that cannot be read
 */
export async function* readCatalogFile(
  file: string,
  issues: IssueList,
  onBytes: (count: number) => void,
  known?: KnownDigests,
): AsyncGenerator<CatalogRecord[]> {
  const report = (line: number, message: string) => issues.add([{ file, line, field: '', message }]);
  const type = CATALOG_FILE_TYPES.find((known) => known === path.extname(file).toLowerCase());
  if (!type) return report(1, `must be a ${CATALOG_FILE_TYPES.join(', ')} file`);
  const text = readText(file, onBytes);
  try {
    if (type === '.csv') yield* readCsv(file, text, issues);
    else yield* readJson(file, text, issues, type === '.jsonl', known);
  } catch (error) {
    if (error instanceof UncuttableError) return report(error.line, error.message);
    if (!isInvalidText(error)) throw error;
    report(1, 'must be UTF-8 text, and is in another encoding: save it again as "CSV UTF-8" or UTF-8');
  }
}

/**
 * Reads an array of tours, or the lists of an object; or one tour, resource or pickup point in each line. Stops at a syntax error in an array, because the text after it may belong to any entry.
 */
async function* readJson(
  file: string,
  text: AsyncIterable<string>,
  issues: IssueList,
  isLines: boolean,
  known?: KnownDigests,
): AsyncGenerator<CatalogRecord[]> {
  const next = { tours: 0, resources: 0, pickup_points: 0 };
  const placeOf = (piece: JsonPiece) =>
    isLines ? { file, line: piece.line } : { file, index: next[piece.list ?? 'tours']++ };
  for await (const pieces of isLines ? cutLines(text) : cutArray(text)) {
    const digests = known ? pieces.map((piece) => known.digestOf(piece.text)) : [];
    const found = digests.length > 0 ? await known!.findUnchanged(digests) : undefined;
    const records: CatalogRecord[] = [];
    for (const [at, piece] of pieces.entries()) {
      const place = placeOf(piece);
      const digest = digests[at];
      const record = toRecord({ place, digest, unchanged: found?.get(digest!) }, piece.text);
      if (piece.isUnended) issues.warn({ ...place, field: '', message: NO_LINE_BREAK });
      if ('message' in record) issues.add([placeIssue(file, piece, record)]);
      else records.push(markList(record, piece, isLines));
      if (isLines || !isSyntaxError(record)) continue;
      yield records;
      return;
    }
    yield records;
  }
}

/** The keys of lines that are no tours, such as `{"resource": {…}}`, with the lists of their values. */
const LIST_OF_KEY = { resource: 'resources', pickup_point: 'pickup_points' } as const;

/** Marks an element of another list than tours: of an array, or of a line such as `{"resource": {…}}`. Does not parse an unchanged tour. */
function markList(record: CatalogRecord, piece: JsonPiece, isLines: boolean): CatalogRecord {
  if (piece.list) return { ...record, list: piece.list };
  if (!isLines || record.unchanged) return record;
  const { place, value } = record;
  const [entry, ...others] = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (!entry || others.length > 0 || !Object.hasOwn(LIST_OF_KEY, entry[0])) return record;
  return { place, value: entry[1], list: LIST_OF_KEY[entry[0] as keyof typeof LIST_OF_KEY] };
}

/** Returns the record of an entry, or the issue of its text. */
function toRecord(record: Omit<CatalogRecord, 'value'>, text: string): CatalogRecord | JsonIssue {
  if (record.unchanged) {
    // Returns the text unparsed. It is valid JSON, because an import stores a digest only of an entry that it has parsed.
    return {
      ...record,
      get value() {
        return JSON.parse(text) as unknown;
      },
    };
  }
  const parsed = parseJson(text);
  if ('error' in parsed) return { message: parsed.error, line: lineOfError(text.trimStart()) };
  const repeated = findRepeatedKey(text.trimStart());
  return repeated ?? { ...record, value: parsed.value };
}

function placeIssue(file: string, piece: JsonPiece, { line, field = '', message }: JsonIssue): Issue {
  return { file, line: piece.line + line - 1, field, message };
}

/** Returns false for a repeated key: the entry ends where it should, so the next ones can be read. */
function isSyntaxError(record: CatalogRecord | JsonIssue): boolean {
  return 'message' in record && record.field === undefined;
}

function parseJson(text: string): { value: unknown } | { error: string } {
  try {
    return { value: parseWritten(text) };
  } catch (error) {
    // Removes the line breaks, because the engine's message repeats the text.
    return { error: `must be JSON: ${(error as SyntaxError).message.replace(/\s+/g, ' ')}` };
  }
}

/** Finds the line of a syntax error by a binary search for the longest valid beginning: the engine does not always report the position. */
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

const BEGINNING_BYTES = 64 * 1024;

/** Detects the format of a file without a name by its beginning. If the first line is a complete tour, the file is JSON lines. */
export async function detectFileType(file: string): Promise<(typeof CATALOG_FILE_TYPES)[number]> {
  let beginning = '';
  for await (const chunk of createReadStream(file, { end: BEGINNING_BYTES - 1, encoding: 'utf8' }))
    beginning += String(chunk);
  const text = beginning.replace(/^\ufeff/, '').trimStart();
  if (text.startsWith('[')) return '.json';
  if (!text.startsWith('{')) return '.csv';
  const [line = ''] = text.split('\n', 1);
  const parsed = parseJson(line);
  const isOfLists = (value: object) =>
    ['tours', ...Object.values(LIST_OF_KEY)].some((list) => Object.hasOwn(value, list));
  if ('value' in parsed) return isOfLists(parsed.value as object) ? '.json' : '.jsonl';
  return /^\{\s*"(tours|resources|pickup_points)"/.test(text) || text.length > line.length
    ? '.json'
    : '.jsonl';
}

/** Returns whether the first line of a CSV file has the columns of departures. */
export async function isDeparturesFile(file: string): Promise<boolean> {
  if (path.extname(file).toLowerCase() !== '.csv') return false;
  try {
    for await (const [head] of parseCsvRows(readText(file))) {
      if (head) return new CsvHead(head.record).isDepartures;
    }
  } catch (error) {
    // Ignores an error of the content, because readCatalogFile reports it.
    if (!(error instanceof CsvError) && !isInvalidText(error)) throw error;
  }
  return false;
}

/** Thrown for a text that is valid UTF-8, but is in another encoding. */
class InvalidTextError extends Error {}

const isInvalidText = (error: unknown) =>
  error instanceof InvalidTextError ||
  (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA';

/**
 * Yields the text of a file without its byte order mark.
 * @throws InvalidTextError for UTF-16 without a byte order mark; TypeError ERR_ENCODING_INVALID_ENCODED_DATA for other invalid UTF-8
 */
async function* readText(file: string, onBytes?: (count: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  for await (const bytes of createReadStream(file, { highWaterMark: BYTES_A_CHUNK })) {
    // The first character of a catalog file is ASCII, so one of its bytes in UTF-16 is 0.
    if (isFirst && (bytes as Buffer).subarray(0, 2).includes(0)) throw new InvalidTextError();
    isFirst = false;
    onBytes?.((bytes as Buffer).length);
    yield decoder.decode(bytes as Buffer, { stream: true });
  }
  yield decoder.decode();
}
