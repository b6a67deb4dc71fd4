import { CsvError, parse, type Parser } from 'csv-parse';
import type { CatalogRecord } from './catalog-file';
import { CsvHead, delimiterOf } from './csv-columns';
import type { IssueList } from './issue';

type Row = { record: string[]; raw: string; info: { lines: number } };

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
  try {
    for await (const rows of parseRows(withLineFeeds(text))) {
      const first = head ? undefined : rows.shift();
      if (first) {
        head = new CsvHead(first.record.map((name) => name.trim()));
        issues.add(head.issues({ file, line: 1 }));
      }
      if (head) yield toRecords(rows, head);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const isEndless = error.code === 'CSV_MAX_RECORD_SIZE';
    return report(Number(error.lines ?? 1), isEndless ? 'opens a quote that does not close' : error.message);
  }
  if (!head) report(1, 'must name its columns in the first line');

  function toRecords(rows: Row[], columns: CsvHead): CatalogRecord[] {
    return rows.flatMap((row): CatalogRecord[] => {
      const line = firstLineOf(row);
      const { length } = row.record;
      if (length > columns.width) {
        report(line, `has ${length} cells, but the first line names ${columns.width}`);
        return [];
      }
      const value = columns.toRecord(row.record);
      return [{ place: { file, line }, isDeparture: columns.isDepartures, value }];
    });
  }
}

/**
 * Yields the rows of each chunk. Where a quote is misplaced, first yields the rows before it, which the parser's own iterator
 * would drop.
 * @throws CsvError
 */
async function* parseRows(text: AsyncIterable<string>): AsyncGenerator<Row[]> {
  const rows: Row[] = [];
  let parser: Parser | undefined;
  let begun = '';
  const taken = () => rows.splice(0);
  for await (const chunk of text) {
    begun += chunk;
    // The delimiter is detected by the first line.
    if (!parser && !begun.trimStart().includes('\n')) continue;
    parser ??= openParser(begun, (row) => void rows.push(row));
    const failure = await fed((done) => parser!.write(begun, done));
    begun = '';
    yield taken();
    if (failure) throw failure;
  }
  parser ??= openParser(begun, (row) => void rows.push(row));
  const failure = await fed((done) => parser.end(begun, done), parser);
  yield taken();
  if (failure) throw failure;
}

function openParser(head: string, onRow: (row: Row) => void): Parser {
  const parser = parse({
    delimiter: delimiterOf(head),
    info: true,
    raw: true,
    relax_column_count: true,
    skip_records_with_empty_values: true,
    max_record_size: MOST_CHARACTERS,
    // Returns undefined, so that the stream keeps no row.
    on_record: (row: unknown) => void onRow(row as Row),
  });
  parser.on('error', () => {});
  parser.resume();
  return parser;
}

function fed(
  feed: (done: (error?: Error | null) => void) => void,
  ending?: Parser,
): Promise<Error | undefined> {
  return new Promise((resolve) => {
    ending?.on('error', resolve);
    feed((error) => resolve(error ?? undefined));
  });
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

function firstLineOf(row: Row): number {
  return row.info.lines - (row.raw.trim().match(/\n/g)?.length ?? 0);
}
