import { open } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { type Column, TOUR_OF_DEPARTURE } from './csv-columns';
import type { Fault, Place } from './fault';
import { insteadOf } from './unknown-name';

const DELIMITERS = [',', ';', '\t'];
const BYTES_OF_HEAD = 64 * 1024;

/** Is it a CSV file of departures? By its first line alone. */
export async function isDeparturesFile(file: string): Promise<boolean> {
  if (!file.toLowerCase().endsWith('.csv')) return false;
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BYTES_OF_HEAD), 0, BYTES_OF_HEAD, 0);
    const text = buffer.toString('utf8', 0, bytesRead).replace(/^\ufeff/, '');
    const [names = []]: string[][] = parse(text.replace(/\r\n?/g, '\n'), {
      delimiter: delimiterOf(text),
      to: 1,
    });
    return areOfDepartures(names.map((name) => name.trim()));
  } catch (error) {
    // What is wrong with it is told when it is read.
    if ((error as NodeJS.ErrnoException).code?.startsWith('CSV_')) return false;
    throw error;
  } finally {
    await handle.close();
  }
}

/** The first line names the columns, and a column's name holds no delimiter. */
export function delimiterOf(text: string): string {
  const head = text.trimStart().split('\n', 1)[0]!;
  const cells = (delimiter: string) => head.split(delimiter).length;
  return DELIMITERS.reduce((best, delimiter) => (cells(delimiter) > cells(best) ? delimiter : best));
}

/** Also where the column that should tell is mistyped: then that is the fault, and not all its other columns. */
export function areOfDepartures(names: string[]): boolean {
  return names.includes(TOUR_OF_DEPARTURE) || (names.includes('departure_date') && !names.includes('slug'));
}

export function headFaults(
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

/**
 * The same value as JSON would hold: `prices.adult` inside `prices`, lists as arrays, numbers as numbers. Without the
 * columns at fault, which are told by then.
 */
export function toValue(
  names: string[],
  cells: string[],
  columns: Record<string, Column>,
): Record<string, unknown> {
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
