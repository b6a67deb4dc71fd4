import type { Db } from '../../platform/database/database';
import { categoriesOf, type Category } from '../parties/category';
import type { Prices } from '../parties/party-rules';
import type { PricedTour } from './price-categories';

/** One row for the base price of each tour, and one for the prices of each of its open departures. */
const ON_SALE = `tours t cross join lateral (
  select jsonb_build_object(first_category(t.categories), t.base_price_minor) as prices, null::date as date, null as start_time
  union all
  select d.prices_minor, d.departure_date, coalesce(d.start_time, t.start_time) from departures d
  where d.tour_id = t.id
    and departure_is_open(d.status, d.departure_date, coalesce(d.start_time, t.start_time), d.closes_at,
      coalesce(d.closes_before, t.booking_cutoff), t.time_zone, statement_timestamp())) p`;

/** The lowest and highest price in a currency, over all categories, in minor units. Prices of 0 are left out. */
export interface PriceRange {
  currency: string;
  digits: number;
  lowest: number;
  highest: number;
}

/** Finds the range of prices of the published tours, for each currency. */
export async function findPriceRanges(db: Db): Promise<PriceRange[]> {
  const { rows } = await db.raw(
    `select t.currency, t.currency_digits as digits, min(c.value::bigint) as lowest, max(c.value::bigint) as highest
     from ${ON_SALE} cross join lateral jsonb_each_text(p.prices) c
     where t.status = 'published' and c.value::bigint > 0
     group by t.currency, t.currency_digits`,
  );
  return rows;
}

/** The tours in the scope of some rules. */
interface TourScope {
  all: boolean;
  tourIds: string[];
  continents: string[];
}

/** The base price of a tour (without a date), or a group of its departures with the same prices. */
export interface PlatformPrices {
  tour: PricedTour & { slug: string };
  prices: Prices;
  /** The date of the first departure of the group. Null: the base price. */
  date: string | null;
  /** HH:MM, the start time of this departure. Null: none. */
  time: string | null;
  count: number;
}

type PlatformPricesRow = Omit<PlatformPrices, 'tour'> &
  Omit<PlatformPrices['tour'], 'categories'> & { categories: readonly Category[] | null };

/** Finds a page of published tours in the scope, in the order of their ids. @param after the last id of the page before */
export async function findScopedTourIds(
  db: Db,
  { all, tourIds, continents }: TourScope,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const query = db('tours').where('status', 'published').orderBy('id').limit(limit);
  if (!all) void query.whereRaw('(id = any(?::uuid[]) or continent = any(?::text[]))', [tourIds, continents]);
  if (after !== undefined) void query.where('id', '>', after);
  return query.pluck<string[]>('id');
}

/**
 * Finds the platform's prices of tours: their base prices, and those of their open departures in groups of equal prices.
 * @param bounds sorted dates, at which groups of departures begin: a departure on such a date, or later, is not in a group with earlier
 * departures
 */
export async function findPlatformPrices(
  db: Db,
  tourIds: string[],
  bounds: string[],
): Promise<PlatformPrices[]> {
  const { rows } = await db.raw(
    `select t.id, t.slug, t.continent, t.currency, t.currency_digits, t.categories, p.prices, min(p.date) as date,
       (min(array[p.date::text, p.start_time]))[2] as time, count(*) as count
     from ${ON_SALE}
     where t.id = any(?::uuid[])
     group by t.id, p.prices, p.date is null, width_bucket(p.date, ?::date[])`,
    [tourIds, bounds],
  );
  return rows.map(({ prices, date, time, count, categories, ...tour }: PlatformPricesRow) => ({
    tour: { ...tour, categories: categoriesOf(categories) },
    prices,
    date,
    time,
    count,
  }));
}
