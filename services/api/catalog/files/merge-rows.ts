import { toMinor } from '../../money/currency';
import type { Prices } from '../../pricing/prices';
import { foldName } from '../fold-name';
import type { DepartureRow, TourRow } from './stored-rows';
import type { DepartureFields, TourFields } from './tour-shape';

/** What a new tour is where the file says nothing, and what null makes of it. */
const TOUR_DEFAULTS = {
  summary: null,
  description: null,
  image_url: null,
  images: [],
  tags: [],
  time_zone: 'UTC',
  status: 'published',
  group_size_max: null,
  languages: [],
  start_location: null,
  end_location: null,
  itinerary: [],
  inclusions: [],
  exclusions: [],
  cancellation_policy: null,
} satisfies Partial<TourRow>;
const DEPARTURE_DEFAULTS = {
  return_date: null,
  status: 'scheduled',
  closes_at: null,
} satisfies Partial<DepartureRow>;

/**
 * The tour as the file leaves it: what the file does not mention is as it was.
 * @param fields with amounts that the currency allows, see check-amounts.ts
 */
export function mergeTour(stored: TourRow | undefined, fields: TourFields, digits: number): TourRow {
  return {
    ...left(TOUR_DEFAULTS, stored, fields),
    slug: fields.slug,
    name: fields.name,
    name_folded: foldName(fields.name),
    continent: fields.continent,
    country: fields.country,
    duration_days: fields.duration_days,
    currency: fields.currency,
    currency_digits: digits,
    base_price_minor: toMinor(fields.base_price, digits)!,
  } as TourRow;
}

/** The same of a departure. */
export function mergeDeparture(
  stored: DepartureRow | undefined,
  fields: DepartureFields,
  currency: { digits: number; changes: boolean },
): DepartureRow {
  // A price that the file leaves out stays, but not as so many coins of another currency.
  const prices: Partial<Prices> = currency.changes ? {} : { ...stored?.prices_minor };
  for (const category of ['adult', 'child', 'single_supplement'] as const) {
    const amount = fields.prices[category];
    if (amount === undefined) continue;
    if (amount === null) delete prices[category];
    else prices[category] = toMinor(amount, currency.digits)!;
  }
  return {
    ...left(DEPARTURE_DEFAULTS, stored, fields),
    departure_date: fields.departure_date,
    seats_total: fields.seats_total,
    prices_minor: prices as Prices,
  } as DepartureRow;
}

/** Optional columns: the file's, else as stored, else the default; null in the file is the default again. */
function left<D extends object>(
  defaults: D,
  stored: object | undefined,
  fields: object,
): Record<string, unknown> {
  const columns = Object.entries(defaults).map(([column, otherwise]): [string, unknown] => {
    const given = (fields as Record<string, unknown>)[column];
    const value = given === undefined ? (stored as Record<string, unknown> | undefined)?.[column] : given;
    return [column, value ?? otherwise];
  });
  return Object.fromEntries(columns);
}
