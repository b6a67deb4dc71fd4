import { CsvError, parse } from 'csv-parse/sync';
import type { CatalogRecord, CatalogRecords } from './catalog-record';
import { type Fault, faultAt, type Place } from './fault';
import { type Column, DEPARTURE_COLUMNS, TOUR_COLUMNS, TOUR_OF_DEPARTURE } from './csv-columns';
import { insteadOf } from './unknown-name';

type Row = { record: string[]; raw: string; info: { lines: number } };

const DELIMITERS = [',', ';', '\t'];

/**
 * A CSV file as spreadsheets save it: of tours, or, where it has the column `tour_slug`, of departures. An empty cell
 * says nothing, so what it stands for stays as it is.
 */
export function readCsv(file: string, source: string): CatalogRecords {
  // The parser counts the lines of a quoted cell twice where they end in CR LF (seen).
  const text = source.replace(/\r\n?/g, '\n');
  const { rows, error } = parseRows(text);
  const faults: Fault[] = [];
  if (error) faults.push({ file, line: Number(error.lines ?? 1), field: '', message: error.message });
  const [head, ...body] = rows;
  if (!head) {
    if (!error) faults.push({ file, line: 1, field: '', message: 'must name its columns in the first line' });
    return { records: [], faults };
  }
  const names = head.record.map((name) => name.trim());
  const isDeparture = areOfDepartures(names);
  const columns = isDeparture ? DEPARTURE_COLUMNS : TOUR_COLUMNS;
  faults.push(...headFaults({ file, line: 1, field: '' }, names, columns, isDeparture));
  const records: CatalogRecord[] = [];
  for (const row of body) {
    const place = { file, line: firstLineOf(row), field: '' };
    if (row.record.length > names.length) {
      faults.push(
        faultAt(place, '', `has ${row.record.length} cells, but the first line names ${names.length}`),
      );
    } else records.push({ place, isDeparture, value: toValue(names, row.record, columns) });
  }
  return { records, faults };
}

/** Where a quote is out of place, the lines before it. */
function parseRows(text: string): { rows: Row[]; error?: CsvError } {
  const rows: Row[] = [];
  try {
    parse(text, {
      delimiter: delimiterOf(text),
      info: true,
      raw: true,
      relax_column_count: true,
      skip_records_with_empty_values: true,
      on_record: (row: unknown) => void rows.push(row as Row),
    });
    return { rows };
  } catch (error) {
    if (error instanceof CsvError) return { rows, error };
    throw error;
  }
}

/** The first line names the columns, and a column's name holds no delimiter. */
function delimiterOf(text: string): string {
  const head = text.trimStart().split('\n', 1)[0]!;
  const cells = (delimiter: string) => head.split(delimiter).length;
  return DELIMITERS.reduce((best, delimiter) => (cells(delimiter) > cells(best) ? delimiter : best));
}

/** Also where the column that should tell is mistyped: then that is the fault, and not all its other columns. */
function areOfDepartures(names: string[]): boolean {
  return names.includes(TOUR_OF_DEPARTURE) || (names.includes('departure_date') && !names.includes('slug'));
}

function headFaults(
  place: Place,
  names: string[],
  columns: Record<string, Column>,
  isDeparture: boolean,
): Fault[] {
  const known = Object.keys(columns);
  const kind = isDeparture ? 'departures' : 'tours';
  return names.flatMap((name, index): Fault[] => {
    const fault = (message: string) => [{ ...place, field: name, message }];
    if (name === '') return fault(`must name every column: number ${index + 1} has none`);
    if (!known.includes(name)) return fault(`is not a column of ${kind}; ${insteadOf(name, known)}`);
    return names.indexOf(name) < index ? fault('is the name of two columns') : [];
  });
}

function firstLineOf(row: Row): number {
  return row.info.lines - (row.raw.trim().match(/\n/g)?.length ?? 0);
}

/**
 * The same value as JSON would hold: `prices.adult` inside `prices`, lists as arrays, numbers as numbers. Without the
 * columns at fault, which are told by then.
 */
function toValue(names: string[], cells: string[], columns: Record<string, Column>): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) {
    const cell = cells[index]?.trim() ?? '';
    if (cell === '' || !Object.hasOwn(columns, name) || names.indexOf(name) < index) continue;
    const [field, part] = name.split('.') as [string, string?];
    const content = columns[name]!(cell);
    if (part === undefined) value[field] = content;
    else value[field] = { ...(value[field] as object | undefined), [part]: content };
  }
  return value;
}
