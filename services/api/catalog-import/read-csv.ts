import { finished } from 'node:stream/promises';
import { CsvError, parse, type Parser } from 'csv-parse';
import { readFormulas } from '../../platform/csv-cells';
import type { CatalogRecord, Issue, IssueList, Place } from './catalog-file';
import { nearestName } from './check-entry';
import { CSV_DEPARTURE_COLUMNS, CSV_TOUR_COLUMNS, type CsvColumns, TOUR_OF_DEPARTURE } from './csv-columns';

/** Limits the characters of a cell: after a quote that is not closed, the rest of the file is one cell. */
const MOST_CHARACTERS = 1_000_000;

/**
 * Reads a CSV file as spreadsheets save it: of tours, or, with the column `tour_slug`, of departures. An empty cell keeps the
 * stored value.
 */
export async function* readCsv(
  file: string,
  text: AsyncIterable<string>,
  issues: IssueList,
): AsyncGenerator<CatalogRecord[]> {
  const report = (line: number, message: string) => issues.add([{ file, line, field: '', message }]);
  let head: CsvHead | undefined;
  const toRecords = ({ record, raw, info }: CsvRow): CatalogRecord[] => {
    const { width, isDepartures } = head!;
    const line = info.lines - (raw.trim().match(/\n/g)?.length ?? 0);
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
        issues.add(head.issues({ file, line: 1 }));
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
 * Yields the rows of each chunk. Where a quote is misplaced, first yields the rows before it, which the parser's own iterator
 * would drop.
 * @throws CsvError
 */
export async function* parseCsvRows(text: AsyncIterable<string>): AsyncGenerator<CsvRow[]> {
  const rows: CsvRow[] = [];
  let parser: Parser | undefined;
  let begun = '';
  for await (const chunk of withLineFeeds(text)) {
    begun += chunk;
    // The delimiter is detected by the first line.
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
    max_record_size: MOST_CHARACTERS,
    // Returns undefined, so that the stream keeps no row.
    on_record: (row: unknown) => void rows.push(row as CsvRow),
  });
  parser.on('error', () => {});
  return parser.resume();
}

/** Detects the delimiter from the first line, because column names contain none. */
function delimiterOf(text: string): string {
  const head = text.trimStart().split('\n', 1)[0]!;
  const count = (delimiter: string) => head.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}

/** Makes every line break a line feed: the parser counts the lines of a quoted cell twice where they end in CR LF (seen). */
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
    // A file with a mistyped `tour_slug` is one of departures too, so that only this column is reported and not all others.
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
    const unknown = this.names.filter((name) => name !== '' && !known.includes(name));
    // Lists the columns once, because there are many.
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

  /** Returns the record as JSON would have it: `prices.adult` inside `prices`. Leaves out empty cells and columns with issues. */
  toRecord(cells: string[]): Record<string, unknown> {
    const record: Record<string, unknown> = {};
    for (const [index, name] of this.names.entries()) {
      const cell = cells[index]?.trim() ?? '';
      if (cell === '' || !Object.hasOwn(this.columns, name) || this.names.indexOf(name) < index) continue;
      const [field, part] = name.split('.') as [string, string?];
      const content = this.columns[name]!.read(readFormulas(cell));
      if (part === undefined) record[field] = content;
      else record[field] = { ...(record[field] as object | undefined), [part]: content };
    }
    return record;
  }
}
