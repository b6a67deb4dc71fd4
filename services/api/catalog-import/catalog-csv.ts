import { finished } from 'node:stream/promises';
import { CsvError, parse, type Parser } from 'csv-parse';
import { z } from 'zod';
import { csvLine, readFormulas } from '../../platform/csv-cells';
import { countDecimals, isCategoryCode, readWholeNumber } from '../../platform/forms/text-forms';
import { type CatalogRecord, type Issue, type IssueList, NO_LINE_BREAK, type Place } from './catalog-file';
import { DEFAULT_CATEGORIES } from '../parties/category';
import { DEPARTURE, TOUR_FIELDS, TRANSLATION } from './catalog-schema';
import { AMOUNT } from './category-fields';
import { findRepeatedKey } from './cut-json';
import type { FileEntry } from './export-catalog';
import { nearestName } from './field-checks';
import { parseWritten, WrittenNumber } from './written-numbers';
import { CANCELLATION } from './sale-terms';

/** The column of a departures file that names the tour. */
export const TOUR_OF_DEPARTURE = 'tour_slug';

/** Converts between the text of a cell and the JSON value. */
interface Column {
  /** Converts a cell. If this is impossible, returns the text of the cell, and the check of the field then refuses the text. */
  read: (cell: string) => unknown;
  write: (value: unknown) => string;
}

/** Column names in the order of an export. Parts of an object have their own columns, such as `prices.adult`. */
type CsvColumns = Record<string, Column>;

const TEXT: Column = { read: (cell) => cell, write: String };
const WHOLE_NUMBER: Column = { read: (cell) => readWholeNumber(cell) ?? cell, write: String };
const DECIMAL: Column = {
  read: (cell) => (countDecimals(cell) === undefined ? cell : Number(cell)),
  write: String,
};
const MONEY: Column = {
  read: (cell) => (countDecimals(cell) === undefined ? cell : new WrittenNumber(cell)),
  write: String,
};
const JSON_TEXT: Column = {
  read: (cell) => {
    const parsed = parseJson(cell);
    // Stays a text, which the check of the field refuses.
    return parsed === undefined || findRepeatedKey(cell) ? cell : parsed;
  },
  write: (value) => JSON.stringify(value),
};
/** Separates items by `|`. Writes JSON if an item contains `|` or begins with `[`. */
const LIST: Column = {
  read: (cell) => {
    const parsed = cell.startsWith('[') ? parseJson(cell) : undefined;
    return Array.isArray(parsed) ? (parsed as unknown[]) : cell.split('|').map((item) => item.trim());
  },
  write: (value) => {
    const items = value as string[];
    return items.some((item) => item.includes('|') || item.startsWith('['))
      ? JSON.stringify(items)
      : items.join('|');
  },
};

function parseJson(text: string): unknown {
  try {
    return parseWritten(text);
  } catch {
    return undefined;
  }
}

const { translations: _, ...UNTRANSLATED_FIELDS } = TOUR_FIELDS;
const CSV_TOUR_COLUMNS = columnsOf(UNTRANSLATED_FIELDS);
const CSV_TEXT_COLUMNS = columnsOf(TRANSLATION.shape);

const DEFAULT_CODES = DEFAULT_CATEGORIES.map(({ code }) => code);

/** Returns the columns of departures. @param codes of the categories that have a column. Empty: the default categories */
function departureColumns(codes: string[]): CsvColumns {
  const columns = Object.entries({ [TOUR_OF_DEPARTURE]: TEXT, ...columnsOf(DEPARTURE.shape) });
  const priced = codes.length > 0 ? codes : DEFAULT_CODES;
  const prices = priced.map((code): [string, Column] => [`prices.${code}`, MONEY]);
  return Object.fromEntries(columns.flatMap((column) => (column[0] === 'prices' ? prices : [column])));
}

const CSV_DEPARTURE_COLUMNS = departureColumns([]);

/** Returns the column of the price of a category, such as `prices.senior`. Undefined: the name is no such column. */
function priceColumn(name: string): Column | undefined {
  const [field, code, ...rest] = name.split('.');
  return field === 'prices' && code !== undefined && rest.length === 0 && isCategoryCode(code)
    ? MONEY
    : undefined;
}

function columnsOf(shape: z.ZodRawShape, prefix = ''): CsvColumns {
  const columns: CsvColumns = {};
  for (const [field, schema] of Object.entries(shape)) {
    const type = bare(schema);
    if (type === CANCELLATION || schema === TOUR_FIELDS.pickup || type instanceof z.ZodRecord)
      columns[prefix + field] = JSON_TEXT;
    else if (type instanceof z.ZodObject) Object.assign(columns, columnsOf(type.shape, `${prefix}${field}.`));
    else if (type instanceof z.ZodNumber) columns[prefix + field] = type.isInt ? WHOLE_NUMBER : DECIMAL;
    else if (type === AMOUNT) columns[prefix + field] = MONEY;
    else if (type instanceof z.ZodArray) columns[prefix + field] = isListOfTexts(type) ? LIST : JSON_TEXT;
    else columns[prefix + field] = TEXT;
  }
  return columns;
}

function isListOfTexts({ element }: z.ZodArray): boolean {
  const type = bare(element);
  return !(type instanceof z.ZodObject || type instanceof z.ZodUnknown);
}

const TEXT_COLUMN = /^translations\.[A-Za-z0-9-]+\.(\w+)$/;

/** Returns the column of a translated text, such as `translations.de.name`. Undefined: the name is no such column. */
function textColumn(name: string): Column | undefined {
  const text = TEXT_COLUMN.exec(name)?.[1];
  return text !== undefined && Object.hasOwn(CSV_TEXT_COLUMNS, text) ? CSV_TEXT_COLUMNS[text] : undefined;
}

/** Returns the columns of the translated texts, in the order of the languages. */
function textColumns(languages: string[]): CsvColumns {
  const names = languages.flatMap((language) =>
    Object.keys(CSV_TEXT_COLUMNS).map((text) => `translations.${language}.${text}`),
  );
  return Object.fromEntries(names.map((name) => [name, textColumn(name)!]));
}

/** Returns the schema inside `optional`, `nullish`, `transform` and `preprocess`. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return bare(schema.unwrap());
  if (!(schema instanceof z.ZodPipe)) return schema;
  return bare(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
}

export type CsvKind = 'tours' | 'departures';

/**
 * Yields the lines of a CSV file that an import reads: the names of all columns, then a line for each tour or departure.
 * @param named the languages of the translations, and the codes of the price categories
 */
export async function* csvLines(
  entries: AsyncIterable<FileEntry>,
  kind: CsvKind,
  { languages, codes }: { languages: string[]; codes: string[] },
): AsyncGenerator<string> {
  const columns =
    kind === 'tours' ? { ...CSV_TOUR_COLUMNS, ...textColumns(languages) } : departureColumns(codes);
  yield csvLine(Object.keys(columns));
  for await (const entry of entries) {
    if (kind === 'tours') yield csvLine(cellsOf(columns, entry));
    else
      for (const departure of entry.departures as FileEntry[])
        yield csvLine(cellsOf(columns, { [TOUR_OF_DEPARTURE]: entry.slug, ...departure }));
  }
}

/** Leaves the cells of nulls and empty lists empty. An empty list of uses is written: a departure then uses nothing, whatever its tour uses. */
function cellsOf(columns: CsvColumns, entry: FileEntry): (string | number | null)[] {
  return Object.entries(columns).map(([name, { write }]) => {
    const value = name
      .split('.')
      .reduce<unknown>((content, part) => (content as FileEntry | null | undefined)?.[part], entry);
    if (value === null || value === undefined || (isEmptyList(value) && name !== 'uses')) return null;
    return typeof value === 'number' ? value : write(value);
  });
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The most characters of a row. Without this limit, the rest of the file would be one cell if a quote is not closed. */
const CHARACTERS_MAX = 1_000_000;

/**
 * Reads a CSV file as spreadsheets save it. A file with the column `tour_slug` has departures. Any other file has tours. An empty cell
 * keeps the stored value.
 */
export async function* readCsv(
  file: string,
  text: AsyncIterable<string>,
  issues: IssueList,
): AsyncGenerator<CatalogRecord[]> {
  const report = (line: number, message: string) => issues.add([{ file, line, field: '', message }]);
  let head: CsvHead | undefined;
  const toRecords = (row: CsvRow): CatalogRecord[] => {
    const { record } = row;
    const { width, isDepartures } = head!;
    const line = firstLineOf(row);
    const end = endOfFile(row, width);
    if (end?.isCut) {
      report(line, end.message);
      return [];
    }
    if (end) issues.warn({ file, line, field: '', message: end.message });
    if (record.length <= width)
      return [{ place: { file, line }, isDeparture: isDepartures, value: head!.toRecord(record) }];
    report(line, `has ${record.length} cells, but the first line names ${width}`);
    return [];
  };
  try {
    for await (const rows of parseCsvRows(text)) {
      const first = head ? undefined : rows.shift();
      if (first) {
        head = new CsvHead(first.record);
        issues.add(head.issues({ file, line: firstLineOf(first) }));
      }
      yield rows.flatMap(toRecords);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const isEndless = error.code === 'CSV_MAX_RECORD_SIZE';
    return report(Number(error.lines ?? 1), isEndless ? 'opens a quote that does not close' : error.message);
  }
  if (!head) report(1, 'must name its columns in the first line');
}

interface CsvRow {
  record: string[];
  raw: string;
  /** The line where the row ends. */
  info: { lines: number };
}

/**
 * Returns what is wrong with the end of a file that no line break ends. Undefined: the row is not its last one, or a line break ends it.
 * @param width the number of columns
 * @rule a file that no line break ends may be cut off: test/cli/booking-import-files.test.ts
 */
export function endOfFile(
  { raw, record }: Pick<CsvRow, 'raw' | 'record'>,
  width: number,
): { isCut: boolean; message: string } | undefined {
  if (raw.endsWith('\n')) return undefined;
  if (record.length >= width) return { isCut: false, message: NO_LINE_BREAK };
  const message = `ends after ${record.length} of ${width} cells without a line break: the file is cut off`;
  return { isCut: true, message };
}

/** Returns the line in which a row begins. A cell may have line breaks. */
export function firstLineOf({ raw, info }: Pick<CsvRow, 'raw' | 'info'>): number {
  return info.lines - (raw.trim().match(/\n/g)?.length ?? 0);
}

/**
 * Yields the rows of each chunk. If a quote is misplaced, yields the rows before the quote and then throws; the parser's own iterator would
 * drop these rows.
 * @throws CsvError
 */
export async function* parseCsvRows(text: AsyncIterable<string>): AsyncGenerator<CsvRow[]> {
  const rows: CsvRow[] = [];
  let parser: Parser | undefined;
  let begun = '';
  for await (const chunk of withLineFeeds(text)) {
    begun += chunk;
    // Waits until the first line is complete, because it decides the delimiter.
    if (!parser && !begun.trimStart().includes('\n')) continue;
    parser ??= openParser(begun, rows);
    const failure = await new Promise<unknown>((done) => void parser!.write(begun, done));
    begun = '';
    yield rows.splice(0);
    if (failure) throw failure as CsvError;
  }
  parser ??= openParser(begun, rows);
  const failure: unknown = await finished(parser.end(begun)).catch((error: unknown) => error);
  yield rows.splice(0);
  if (failure) throw failure as CsvError;
}

function openParser(head: string, rows: CsvRow[]): Parser {
  const parser = parse({
    delimiter: delimiterOf(head),
    info: true,
    raw: true,
    relax_column_count: true,
    skip_records_with_empty_values: true,
    max_record_size: CHARACTERS_MAX,
    // The columns are named below a line for Excel.
    from_line: SEPARATOR_LINE.test(head) ? 2 : 1,
    // Returns undefined, so that the parser keeps no row in its own output.
    on_record: (row: unknown) => void rows.push(row as CsvRow),
  });
  parser.on('error', () => {});
  return parser.resume();
}

/** Matches a first line such as `sep=;`, by which a file names its delimiter for Excel. */
const SEPARATOR_LINE = /^"?sep=([^"\n])"?\n/i;

/** Returns the delimiter that the first line names. Otherwise detects it from that line, because column names contain no delimiter. */
function delimiterOf(text: string): string {
  const named = SEPARATOR_LINE.exec(text)?.[1];
  if (named !== undefined) return named;
  const head = text.trimStart().split('\n', 1)[0]!;
  const count = (delimiter: string) => head.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}

/** Replaces every line break by a line feed, because the parser counts the lines of a quoted cell twice if they end in CR LF (observed). */
async function* withLineFeeds(text: AsyncIterable<string>): AsyncGenerator<string> {
  let kept = '';
  for await (const chunk of text) {
    const joined = kept + chunk;
    kept = joined.endsWith('\r') ? '\r' : '';
    yield joined.slice(0, joined.length - kept.length).replace(/\r\n?/g, '\n');
  }
  if (kept) yield '\n';
}

/** The columns that the first line of a CSV file names. */
export class CsvHead {
  readonly isDepartures: boolean;
  private readonly names: string[];
  private readonly columns: CsvColumns;

  constructor(cells: string[]) {
    const names = cells.map((name) => name.trim());
    // Also reads a file as departures if its `tour_slug` column is misspelt. The only issue is then this column; otherwise all other
    // columns would be issues.
    const isMistyped = names.includes('departure_date') && !names.includes('slug');
    this.isDepartures = names.includes(TOUR_OF_DEPARTURE) || isMistyped;
    this.names = names;
    this.columns = this.isDepartures ? CSV_DEPARTURE_COLUMNS : CSV_TOUR_COLUMNS;
  }

  get width(): number {
    return this.names.length;
  }

  issues(place: Place): Issue[] {
    const known = Object.keys(this.columns);
    const kind = this.isDepartures ? 'departures' : 'tours';
    const unknown = this.names.filter((name) => name !== '' && !this.columnOf(name));
    // Lists the known columns once, in the message about the first column that resembles none of them: the list is long.
    const listing = unknown.find((name) => nearestName(name, known) === undefined);
    const describe = (name: string) => {
      const near = nearestName(name, known);
      if (near !== undefined) return `did you mean ${near}?`;
      return name === listing ? `known are ${known.join(', ')}` : 'correct or remove it';
    };
    return this.names.flatMap((name, index): Issue[] => {
      const issue = (message: string) => [{ ...place, field: name, message }];
      if (name === '') return issue(`must name every column: number ${index + 1} has none`);
      if (unknown.includes(name)) return issue(`is not a column of ${kind}; ${describe(name)}`);
      return this.names.indexOf(name) < index ? issue('is the name of two columns') : [];
    });
  }

  private columnOf(name: string): Column | undefined {
    if (Object.hasOwn(this.columns, name)) return this.columns[name];
    return this.isDepartures ? priceColumn(name) : textColumn(name);
  }

  /** Returns the record as JSON would have it: `prices.adult` inside `prices`. Leaves out empty cells and columns with issues. */
  toRecord(cells: string[]): Record<string, unknown> {
    const record: Record<string, unknown> = {};
    for (const [index, name] of this.names.entries()) {
      const cell = cells[index]?.trim() ?? '';
      const column = this.columnOf(name);
      if (cell === '' || !column || this.names.indexOf(name) < index) continue;
      setPart(record, name.split('.'), column.read(readFormulas(cell)));
    }
    return record;
  }
}

/** Sets a part of nested objects. */
function setPart(record: Record<string, unknown>, [field, ...parts]: string[], content: unknown): void {
  if (parts.length === 0) {
    record[field!] = content;
    return;
  }
  record[field!] ??= {};
  setPart(record[field!] as Record<string, unknown>, parts, content);
}
