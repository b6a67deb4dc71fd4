import { isDeepStrictEqual } from 'node:util';
import { toMajor } from '../pricing/currency';
import type { StoredTour } from './plan-tour';
import type { TourChange } from './import-plan';
import { DEPARTURE_COLUMNS, TOUR_COLUMNS } from './stored-columns';
import type { DepartureRow, TourRow } from './stored-rows';

/** One field of a tour or departure, in the words and amounts of a catalog file. */
export interface ChangedField {
  field: string;
  before: unknown;
  after: unknown;
}

/** What an import would change of one tour, in wire names. */
export interface ChangeInCatalog {
  tour: string;
  /** Of the tour's own fields; absent: its departures alone change. */
  change?: 'created' | 'updated' | 'archived';
  /** Of an updated one. */
  fields?: ChangedField[];
  departures?: ChangedDeparture[];
}

export interface ChangedDeparture {
  departure_date: string;
  change: 'created' | 'updated' | 'deleted' | 'cancelled';
  fields?: ChangedField[];
}

export function diffTour(change: TourChange, stored: StoredTour): ChangeInCatalog {
  const { tour } = change;
  const digits = tour?.row.currency_digits ?? stored.tour!.currency_digits;
  const before = stored.tour?.currency_digits ?? digits;
  const diff: ChangeInCatalog = { tour: change.file.slug };
  if (tour) diff.change = tour.isNew ? 'created' : 'updated';
  if (tour && stored.tour) diff.fields = compare(tourFields(stored.tour), tourFields(tour.row));
  const old = new Map(stored.departures.map((departure) => [departure.id, departure]));
  const departures: ChangedDeparture[] = [
    ...change.inserts.map(({ departure_date }) => ({ departure_date, change: 'created' as const })),
    ...change.updates.map((row) => ({
      departure_date: row.departure_date,
      change: 'updated' as const,
      fields: compare(departureFields(old.get(row.id)!, before), departureFields(row, digits)),
    })),
    ...change.deletes.map(({ departure_date }) => ({ departure_date, change: 'deleted' as const })),
    ...change.cancels.map(({ departure_date }) => ({ departure_date, change: 'cancelled' as const })),
  ];
  if (departures.length > 0)
    diff.departures = departures.sort((a, b) => (a.departure_date < b.departure_date ? -1 : 1));
  return diff;
}

function tourFields(row: TourRow): Record<string, unknown> {
  const derived: (keyof TourRow)[] = ['name_folded', 'currency_digits', 'base_price_minor'];
  const own = TOUR_COLUMNS.filter((column) => !derived.includes(column)).map((column): [string, unknown] => [
    column,
    row[column],
  ]);
  return {
    ...Object.fromEntries<unknown>(own),
    base_price: toMajor(row.base_price_minor, row.currency_digits),
  };
}

function departureFields(row: DepartureRow, digits: number): Record<string, unknown> {
  const own = DEPARTURE_COLUMNS.filter((column) => column !== 'prices_minor');
  const prices = ['adult', 'child', 'single_supplement'] as const;
  return {
    ...Object.fromEntries<unknown>(own.map((column): [string, unknown] => [column, row[column]])),
    ...Object.fromEntries<unknown>(
      prices.map((name) => {
        const minor = row.prices_minor[name];
        return [`prices.${name}`, minor === undefined ? null : toMajor(minor, digits)];
      }),
    ),
  };
}

function compare(before: Record<string, unknown>, after: Record<string, unknown>): ChangedField[] {
  return Object.keys(after)
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, before: before[field], after: after[field] }));
}
