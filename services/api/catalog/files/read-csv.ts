import { CsvError, parse } from 'csv-parse/sync';
import type { CatalogRecord, CatalogRecords } from './catalog-record';
import { faultAt } from './fault';
import { type Column, DEPARTURE_COLUMNS, TOUR_COLUMNS, TOUR_OF_DEPARTURE } from './csv-columns';

type Row = { record: string[]; raw: string; info: { lines: number } };

const DELIMITERS = [',', ';', '\t'];

/**
 * A CSV file as spreadsheets save it: of tours, or, where it has the column `tour_slug`, of departures. An empty cell
 * says nothing, so what it stands for stays as it is.
 */
export function readCsv(file: string, source: string): CatalogRecords {
  // The parser counts the lines of a quoted cell twice where they end in CR LF (seen).
  const text = source.replace(/\r\n?/g, '\n');
  const rows = parseRows(text);
  if (rows instanceof CsvError) {
    return {
      records: [],
      faults: [{ file, line: Number(rows.lines ?? 1), field: '', message: rows.message }],
    };
  }
  const [head, ...body] = rows;
  if (!head) {
    return {
      records: [],
      faults: [{ file, line: 1, field: '', message: 'must name its columns in the first line' }],
    };
  }
  const names = head.record.map((name) => name.trim());
  const isDeparture = names.includes(TOUR_OF_DEPARTURE);
  const columns = isDeparture ? DEPARTURE_COLUMNS : TOUR_COLUMNS;
  const faults = headFaults(names, columns).map(([field, message]) => ({ file, line: 1, field, message }));
  if (faults.length > 0) return { records: [], faults };

  const result: CatalogRecords = { records: [], faults: [] };
  for (const row of body) {
    const place = { file, line: firstLineOf(row), field: '' };
    if (row.record.length > names.length) {
      result.faults.push(
        faultAt(place, '', `has ${row.record.length} cells, but the first line names ${names.length}`),
      );
    } else {
      result.records.push({
        place,
        isDeparture,
        value: toValue(names, row.record, columns),
      } satisfies CatalogRecord);
    }
  }
  return result;
}

function parseRows(text: string): Row[] | CsvError {
  try {
    return parse(text, {
      delimiter: delimiterOf(text),
      info: true,
      raw: true,
      relax_column_count: true,
      skip_records_with_empty_values: true,
    }) as unknown as Row[];
  } catch (error) {
    if (error instanceof CsvError) return error;
    throw error;
  }
}

/** The first line names the columns, and a column's name holds no delimiter. */
function delimiterOf(text: string): string {
  const head = text.trimStart().split('\n', 1)[0]!;
  const cells = (delimiter: string) => head.split(delimiter).length;
  return DELIMITERS.reduce((best, delimiter) => (cells(delimiter) > cells(best) ? delimiter : best));
}

function headFaults(names: string[], columns: Record<string, Column>): [field: string, message: string][] {
  const known = Object.keys(columns);
  return names.flatMap((name, index): [string, string][] => {
    if (!known.includes(name)) return [[name, `is not a column known here; known are ${known.join(', ')}`]];
    return names.indexOf(name) < index ? [[name, 'is the name of two columns']] : [];
  });
}

function firstLineOf(row: Row): number {
  return row.info.lines - (row.raw.trim().match(/\n/g)?.length ?? 0);
}

/** The same value as JSON would hold: `prices.adult` inside `prices`, lists as arrays, numbers as numbers. */
function toValue(names: string[], cells: string[], columns: Record<string, Column>): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) {
    const cell = cells[index]?.trim() ?? '';
    if (cell === '') continue;
    const [field, part] = name.split('.') as [string, string?];
    const content = columns[name]!(cell);
    if (part === undefined) value[field] = content;
    else value[field] = { ...(value[field] as object | undefined), [part]: content };
  }
  return value;
}
