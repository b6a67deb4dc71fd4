import { CsvError, parse, type Parser } from 'csv-parse';
import type { CatalogRecord } from './catalog-record';
import { DEPARTURE_COLUMNS, TOUR_COLUMNS } from './csv-columns';
import { areOfDepartures, delimiterOf, headFaults, toValue } from './csv-head';
import { faultAt } from './fault';
import type { FaultList } from './fault-list';

type Row = { record: string[]; raw: string; info: { lines: number } };

/** A quote that is never closed makes one cell of the rest of the file: this many characters of it are read. */
const MOST_CHARACTERS = 1_000_000;

/**
 * A CSV file as spreadsheets save it: of tours, or, where it has the column `tour_slug`, of departures. An empty cell
 * says nothing, so what it stands for stays as it is.
 */
export async function* readCsv(
  file: string,
  text: AsyncIterable<string>,
  faults: FaultList,
): AsyncGenerator<CatalogRecord[]> {
  let toRecords: ((rows: Row[]) => CatalogRecord[]) | undefined;
  try {
    for await (const rows of parseRows(unified(text))) {
      const head = toRecords ? undefined : rows.shift();
      if (head) toRecords = readHead(file, head, faults);
      if (toRecords) yield toRecords(rows);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message =
      error.code === 'CSV_MAX_RECORD_SIZE' ? 'opens a quote that does not close' : error.message;
    faults.add([{ file, line: Number(error.lines ?? 1), field: '', message }]);
    return;
  }
  if (!toRecords)
    faults.add([{ file, line: 1, field: '', message: 'must name its columns in the first line' }]);
}

function readHead(file: string, head: Row, faults: FaultList): (rows: Row[]) => CatalogRecord[] {
  const names = head.record.map((name) => name.trim());
  const isDeparture = areOfDepartures(names);
  const columns = isDeparture ? DEPARTURE_COLUMNS : TOUR_COLUMNS;
  faults.add(headFaults({ file, line: 1, field: '' }, names, columns, isDeparture));
  return (rows) =>
    rows.flatMap((row): CatalogRecord[] => {
      const place = { file, line: firstLineOf(row), field: '' };
      if (row.record.length <= names.length)
        return [{ place, isDeparture, value: toValue(names, row.record, columns) }];
      const message = `has ${row.record.length} cells, but the first line names ${names.length}`;
      faults.add([faultAt(place, '', message)]);
      return [];
    });
}

/**
 * The rows of each chunk. Where a quote is out of place, first those before it: the parser's own iterator would drop them.
 * @throws CsvError
 */
async function* parseRows(text: AsyncIterable<string>): AsyncGenerator<Row[]> {
  const rows: Row[] = [];
  let parser: Parser | undefined;
  let begun = '';
  const taken = () => rows.splice(0);
  for await (const chunk of text) {
    begun += chunk;
    // The first line says what divides the cells.
    if (!parser && !begun.trimStart().includes('\n')) continue;
    parser ??= open(begun, (row) => void rows.push(row));
    const failure = await fed((done) => parser!.write(begun, done));
    begun = '';
    yield taken();
    if (failure) throw failure;
  }
  parser ??= open(begun, (row) => void rows.push(row));
  const failure = await fed((done) => parser.end(begun, done), parser);
  yield taken();
  if (failure) throw failure;
}

function open(head: string, onRow: (row: Row) => void): Parser {
  const parser = parse({
    delimiter: delimiterOf(head),
    info: true,
    raw: true,
    relax_column_count: true,
    skip_records_with_empty_values: true,
    max_record_size: MOST_CHARACTERS,
    // Undefined: nothing is kept for a reader of the stream.
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

/** The parser counts the lines of a quoted cell twice where they end in CR LF (seen). */
async function* unified(text: AsyncIterable<string>): AsyncGenerator<string> {
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
