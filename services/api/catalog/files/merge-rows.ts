import { toMinor } from '../../money/currency';
import type { Prices } from '../../pricing/prices';
import { foldName } from '../fold-name';
import type { Report } from './check';
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

/** The most a price may be in minor units, as the table has it. */
const MOST = 1_000_000_000_000;

/** The tour as the file leaves it: what the file does not mention is as it was. Undefined: an amount was at fault. */
export function mergeTour(
  stored: TourRow | undefined,
  fields: TourFields,
  digits: number,
  report: Report,
): TourRow | undefined {
  const basePrice = toAmount(fields.base_price, fields.currency, digits, (message) =>
    report(message, '.base_price'),
  );
  if (basePrice === undefined) return undefined;
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
    base_price_minor: basePrice,
  } as TourRow;
}

export function mergeDeparture(
  stored: DepartureRow | undefined,
  fields: DepartureFields,
  currency: { code: string; digits: number; changes: boolean },
  report: Report,
): DepartureRow | undefined {
  // A price that the file leaves out stays, but not as so many coins of another currency.
  const prices: Partial<Prices> = currency.changes ? {} : { ...stored?.prices_minor };
  let sound = true;
  for (const category of ['adult', 'child', 'single_supplement'] as const) {
    const amount = fields.prices[category];
    if (amount === undefined) continue;
    delete prices[category];
    if (amount === null) continue;
    prices[category] = toAmount(amount, currency.code, currency.digits, (message) => {
      sound = false;
      return report(message, `.prices.${category}`);
    });
  }
  if (!sound) return undefined;
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

function toAmount(amount: number, currency: string, digits: number, report: Report): number | undefined {
  const minor = toMinor(amount, digits);
  if (minor === undefined)
    return report(`must have at most ${digits} decimals: that is what ${currency} has`);
  return minor <= MOST ? minor : report('is more than a price may be');
}
