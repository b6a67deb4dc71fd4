import { createReadStream } from 'node:fs';
import path from 'node:path';
import { CsvError } from 'csv-parse';
import { readFormulas } from '../../platform/csv-cells';
import { NO_LINE_BREAK } from '../catalog-import/catalog-file';
import { endOfFile, firstLineOf, parseCsvRows } from '../catalog-import/catalog-csv';
import { cutLines, findRepeatedKey, type JsonPiece, UncuttableError } from '../catalog-import/cut-json';
import { foldLine, foldParagraphs } from '../catalog-import/field-checks';
import { type Encoding, type ImportMap, isRowField } from './import-map';
import { parseWritten, WrittenNumber } from '../catalog-import/written-numbers';
import { ERROR_COLUMN, type RowIssues, type RowPlace } from './row-issues';

export const BOOKING_FILE_TYPES = ['.csv', '.jsonl'] as const;

/** A file of an import. A named pipe is read from a copy, because an import may read its files more than once. */
export interface BookingFile {
  /** As the command line has it, for messages. */
  name: string;
  path: string;
}

/** A row as its file has it. A line of its file is named by `line`; the first one is 1. */
export interface SourceRow {
  file: string;
  line: number;
  /** The values by our field: the name of the column, and a text of CSV or any value of JSON. An empty cell is left out. */
  cells: Map<string, SourceCell[]>;
}

export interface SourceCell {
  column: string;
  value: unknown;
}

const BYTES_A_CHUNK = 64 * 1024;

/**
 * Reads the rows of a file of bookings, a chunk at a time. Adds what it cannot read to the issues, without a value of the file.
 * @throws the file system's error for a file that cannot be read
 */
export async function* readBookingFile(
  file: BookingFile,
  map: ImportMap,
  issues: RowIssues,
): AsyncGenerator<SourceRow[]> {
  const { name } = file;
  const text = readText(file, map.formats.encoding ?? 'utf-8');
  try {
    if (isCsvFile(file)) yield* readCsvRows(name, text, map, issues);
    else yield* readJsonRows(name, text, map, issues);
  } catch (error) {
    const unreadable = describeUnreadable(error);
    if (!unreadable) throw error;
    issues.addToFile({ file: name, line: unreadable.line }, '', unreadable.message);
  }
}

export function isCsvFile({ name }: BookingFile): boolean {
  return path.extname(name).toLowerCase() === '.csv';
}

/** Returns why the rest of a file cannot be read, without its text. Undefined: another error. */
export function describeUnreadable(error: unknown): { line: number; message: string } | undefined {
  if (error instanceof CsvError)
    return { line: csvLine(error), message: 'has a misplaced quote, or a cell without an end' };
  if (error instanceof UncuttableError) return { line: error.line, message: 'is too long' };
  return isInvalidText(error) ? { line: 1, message: ENCODING_ISSUE } : undefined;
}

const ENCODING_ISSUE =
  'must be UTF-8 text: name the encoding in formats.encoding of the map, such as windows-1252';

function csvLine(error: CsvError): number {
  return Number((error as { lines?: unknown }).lines ?? 1);
}

async function* readCsvRows(
  file: string,
  text: AsyncIterable<string>,
  map: ImportMap,
  issues: RowIssues,
): AsyncGenerator<SourceRow[]> {
  let head: Column[] | undefined;
  for await (const rows of parseCsvRows(text)) {
    const first = head ? undefined : rows.shift();
    if (first) head = columnsOf({ file, line: firstLineOf(first) }, first.record, map, issues);
    yield rows.flatMap((csvRow) => {
      const { record } = csvRow;
      const line = firstLineOf(csvRow);
      const end = endOfFile(csvRow, head!.length);
      if (end?.isCut) return issues.addToFile({ file, line }, '', end.message) ?? [];
      if (end) issues.warn({ file, line }, end.message);
      const row = toRow(file, line, head!, record);
      if (row) return [row];
      issues.addUnread({ file, line }, '', 'must have a cell for each column of the first line', map);
      return [];
    });
  }
  if (!head) issues.addToFile({ file, line: 1 }, '', 'must name the columns');
}

interface Column {
  name: string;
  /** Undefined: the column is left out. */
  field: string | undefined;
}

/** Returns the columns that the first line names. */
function columnsOf(place: RowPlace, names: string[], map: ImportMap, issues: RowIssues): Column[] {
  const fields = new Set<string | undefined>();
  return names.map((cell, index) => {
    const name = cell.trim();
    const column = { name, field: fieldOf(name, map) };
    if (name === '' || (index === 0 && name === ERROR_COLUMN) || isLeftOut(name, map))
      return { name, field: undefined };
    if (column.field === undefined) issues.addUnknown('column', name, place);
    if (names.findIndex((other) => other.trim() === name) < index)
      issues.addToFile(place, name, 'is the name of two columns');
    else if (column.field !== undefined && !mayRepeat(column.field) && fields.has(column.field))
      issues.addToFile(place, name, isSecondOf(column.field));
    fields.add(column.field);
    return column;
  });
}

/** Returns whether two columns may have the field. */
const mayRepeat = (field: string) => field === 'name';

const isSecondOf = (field: string) => `is the second column of ${field}`;

/** Returns the field of a column: as the map names it, or its own name. Undefined: unknown or left out. */
function fieldOf(name: string, { columns }: ImportMap): string | undefined {
  if (Object.hasOwn(columns, name)) return columns[name] || undefined;
  return isRowField(name) ? name : undefined;
}

function isLeftOut(name: string, { columns }: ImportMap): boolean {
  return Object.hasOwn(columns, name) && !columns[name];
}

function toRow(file: string, line: number, head: Column[], record: string[]): SourceRow | undefined {
  if (record.length !== head.length) return undefined;
  const cells: SourceRow['cells'] = new Map();
  for (const [index, { name, field }] of head.entries()) {
    const value = foldText(field, readFormulas(record[index]!.trim()));
    if (field !== undefined && value !== '') addCell(cells, field, { column: name, value });
  }
  return { file, line, cells };
}

/**
 * Returns the value with the line breaks of a text folded, as a file of the catalog has them: only notes keep their lines.
 * @rule the line breaks in a file of bookings: test/cli/booking-import-files.test.ts
 */
function foldText<T>(field: string | undefined, value: T): T | string {
  if (typeof value !== 'string') return value;
  return field === 'notes' ? foldParagraphs(value) : foldLine(value);
}

export function addCell(cells: SourceRow['cells'], field: string, cell: SourceCell): void {
  cells.set(field, [...(cells.get(field) ?? []), cell]);
}

async function* readJsonRows(
  file: string,
  text: AsyncIterable<string>,
  map: ImportMap,
  issues: RowIssues,
): AsyncGenerator<SourceRow[]> {
  for await (const pieces of cutLines(text))
    yield pieces.flatMap((piece) => jsonRow(file, piece, map, issues) ?? []);
}

/** Returns the row of a line. Its issues never repeat the text, as the messages of JSON.parse do. */
function jsonRow(
  file: string,
  { text, line, isUnended = false }: JsonPiece,
  map: ImportMap,
  issues: RowIssues,
): SourceRow | undefined {
  const place = { file, line };
  if (isUnended) issues.warn(place, NO_LINE_BREAK);
  const value = parseObject(text);
  if (!value) return issues.addUnread(place, '', 'must be a JSON object in one line', map);
  const repeated = findRepeatedKey(text);
  if (repeated) return issues.addUnread(place, repeated.field ?? '', 'must have each key once', map);
  return { file, line, cells: cellsOfKeys(value, place, map, issues) };
}

function cellsOfKeys(
  row: Record<string, unknown>,
  place: RowPlace,
  map: ImportMap,
  issues: RowIssues,
): SourceRow['cells'] {
  const cells: SourceRow['cells'] = new Map();
  for (const [name, value] of Object.entries(row)) {
    if (name === ERROR_COLUMN || isLeftOut(name, map) || value === null || value === '') continue;
    const field = fieldOf(name, map);
    if (field === undefined) issues.addUnknown('column', name, place);
    else if (cells.has(field) && !mayRepeat(field)) issues.add(place, name, isSecondOf(field));
    else addCell(cells, field, { column: name, value: foldText(field, value) });
  }
  return cells;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseWritten(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const asCells = Object.entries(value).map(([key, one]) => [
      key,
      one instanceof WrittenNumber ? String(one) : (one as unknown),
    ]);
    return Object.fromEntries(asCells) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

const isInvalidText = (error: unknown) =>
  (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA';

/** Yields the text of a file. A byte order mark of UTF-8 decides before the encoding of the map: --rejects writes one. */
export async function* readText(file: BookingFile, encoding: Encoding): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let isLatin = false;
  for await (const chunk of createReadStream(file.path, { highWaterMark: BYTES_A_CHUNK })) {
    const bytes = chunk as Buffer;
    if (!decoder) {
      const isMarked = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
      const isOther = encoding === 'windows-1252' && !isMarked;
      isLatin = encoding === 'iso-8859-1' && !isMarked;
      decoder = isOther ? new TextDecoder(encoding) : new TextDecoder('utf-8', { fatal: true });
    }
    // TextDecoder reads iso-8859-1 as windows-1252, as browsers do.
    yield isLatin ? bytes.toString('latin1') : decoder.decode(bytes, { stream: true });
  }
  if (decoder && !isLatin) yield decoder.decode();
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
