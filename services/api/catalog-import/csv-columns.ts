import { open } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { DEPARTURE, PRICES, TOUR } from './catalog-schema';
import type { Issue, Place } from './issue';
import { suggestName } from './unknown-name';

/** Converts a cell's text to the JSON value. Returns text that it cannot convert unchanged; the field's check then refuses it. */
type Convert = (cell: string) => unknown;

export const TOUR_OF_DEPARTURE = 'tour_slug';

/** Refuses numbers with more digits than a floating point number can store. */
const NUMBER = /^-?\d{1,15}(\.\d{1,6})?$/;

const asText: Convert = (cell) => cell;
const asNumber: Convert = (cell) => (NUMBER.test(cell) ? Number(cell) : cell);
const asList: Convert = (cell) => cell.split('|').map((item) => item.trim());
const asJson: Convert = (cell) => {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
};

const LOCATION = { name: asText, lat: asNumber, lng: asNumber };

const CSV_TOUR_COLUMNS = columnsOf(
  Object.keys(TOUR.shape).filter((field) => field !== 'departures'),
  {
    duration_days: asNumber,
    base_price: asNumber,
    group_size_max: asNumber,
    tags: asList,
    languages: asList,
    inclusions: asList,
    exclusions: asList,
    // Lists of objects are JSON in a cell.
    images: asJson,
    itinerary: asJson,
    start_location: LOCATION,
    end_location: LOCATION,
  },
);

const CSV_DEPARTURE_COLUMNS = columnsOf([TOUR_OF_DEPARTURE, ...Object.keys(DEPARTURE.shape)], {
  seats_total: asNumber,
  prices: Object.fromEntries(Object.keys(PRICES.shape).map((category) => [category, asNumber])),
});

/** Parts of an object have their own columns, such as `prices.adult`. */
function columnsOf(
  fields: string[],
  conversions: Record<string, Convert | Record<string, Convert>>,
): Record<string, Convert> {
  const entries = fields.flatMap((field): [string, Convert][] => {
    const convert = conversions[field] ?? asText;
    if (typeof convert === 'function') return [[field, convert]];
    return Object.entries(convert).map(([part, ofPart]) => [`${field}.${part}`, ofPart]);
  });
  return Object.fromEntries(entries);
}

/** The columns that the first line of a CSV file names. */
export class CsvHead {
  readonly isDepartures: boolean;
  private readonly columns: Record<string, Convert>;

  constructor(private readonly names: string[]) {
    this.isDepartures = areOfDepartures(names);
    this.columns = this.isDepartures ? CSV_DEPARTURE_COLUMNS : CSV_TOUR_COLUMNS;
  }

  get width(): number {
    return this.names.length;
  }

  issues(place: Place): Issue[] {
    const known = Object.keys(this.columns);
    const kind = this.isDepartures ? 'departures' : 'tours';
    return this.names.flatMap((name, index): Issue[] => {
      const issue = (message: string) => [{ ...place, field: name, message }];
      if (name === '') return issue(`must name every column: number ${index + 1} has none`);
      if (!known.includes(name)) return issue(`is not a column of ${kind}; ${suggestName(name, known)}`);
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
      const content = this.columns[name]!(cell);
      if (part === undefined) record[field] = content;
      else record[field] = { ...(record[field] as object | undefined), [part]: content };
    }
    return record;
  }
}

const BYTES_OF_HEAD = 64 * 1024;

/** Returns whether the first line of a CSV file has the columns of departures. */
export async function isDeparturesFile(file: string): Promise<boolean> {
  if (!file.toLowerCase().endsWith('.csv')) return false;
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BYTES_OF_HEAD), 0, BYTES_OF_HEAD, 0);
    const text = buffer.toString('utf8', 0, bytesRead).replace(/^\ufeff/, '');
    const options = { delimiter: delimiterOf(text), to: 1 };
    const [names = []]: string[][] = parse(text.replace(/\r\n?/g, '\n'), options);
    return areOfDepartures(names.map((name) => name.trim()));
  } catch (error) {
    // The reader reports the error.
    if ((error as NodeJS.ErrnoException).code?.startsWith('CSV_')) return false;
    throw error;
  } finally {
    await handle.close();
  }
}

/** Also true if `tour_slug` is mistyped, so that only this column is reported and not all others. */
function areOfDepartures(names: string[]): boolean {
  return names.includes(TOUR_OF_DEPARTURE) || (names.includes('departure_date') && !names.includes('slug'));
}

/** Detects the delimiter from the first line, because column names contain none. */
export function delimiterOf(text: string): string {
  const head = text.trimStart().split('\n', 1)[0]!;
  const count = (delimiter: string) => head.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}
