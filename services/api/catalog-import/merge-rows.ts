import type { Prices } from '../pricing/prices';
import { foldName } from '../catalog/fold-name';
import { minorOf } from './check-amounts';
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

/**
 * The tour as the file leaves it: what the file does not mention is as it was.
 * @param fields with amounts that the currency allows, see check-amounts.ts
 */
export function mergeTour(stored: TourRow | undefined, fields: TourFields, digits: number): TourRow {
  return {
    ...left(stored, fields),
    slug: fields.slug,
    name: fields.name,
    name_folded: foldName(fields.name),
    continent: fields.continent,
    country: fields.country,
    duration_days: fields.duration_days,
    currency: fields.currency,
    currency_digits: digits,
    base_price_minor: minorOf(fields.base_price, digits)!,
  } as TourRow;
}

/** The same of a departure. */
export function mergeDeparture(
  stored: DepartureRow | undefined,
  fields: DepartureFields,
  currency: { digits: number; changes: boolean },
): DepartureRow {
  // A price that the file leaves out stays, but not as so many coins of another currency.
  const before = currency.changes ? undefined : stored?.prices_minor;
  const { adult, child, single_supplement } = fields.prices;
  const prices: Prices = { adult: minorOf(adult, currency.digits)! };
  const ofChild = priceLeft(before?.child, child, currency.digits);
  if (ofChild !== undefined) prices.child = ofChild;
  const single = priceLeft(before?.single_supplement, single_supplement, currency.digits);
  if (single !== undefined) prices.single_supplement = single;
  return {
    departure_date: fields.departure_date,
    return_date: kept(fields.return_date, stored?.return_date),
    seats_total: fields.seats_total,
    prices_minor: prices,
    status: kept(fields.status, stored?.status) ?? 'scheduled',
    closes_at: kept(fields.closes_at, stored?.closes_at),
  };
}

/** What the file says, null too; else as stored. */
function kept<T>(given: T | null | undefined, stored: T | null | undefined): T | null {
  return (given === undefined ? stored : given) ?? null;
}

function priceLeft(
  before: number | undefined,
  given: number | null | undefined,
  digits: number,
): number | undefined {
  if (given === undefined) return before;
  return given === null ? undefined : minorOf(given, digits);
}

/** Optional columns: the file's, else as stored, else the default; null in the file is the default again. */
function left(stored: TourRow | undefined, fields: TourFields): Partial<TourRow> {
  const columns: Record<string, unknown> = {};
  for (const column of Object.keys(TOUR_DEFAULTS) as (keyof typeof TOUR_DEFAULTS)[]) {
    const given = fields[column];
    columns[column] = (given === undefined ? stored?.[column] : given) ?? TOUR_DEFAULTS[column];
  }
  return columns;
}
