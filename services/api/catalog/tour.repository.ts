import { type Db, runPrepared } from '../../platform/database/database';
import { categoriesOf, type Category } from '../parties/category';
import { START_TIME } from './start-time';
import { TOUR_PICKUP } from './tour-asks';
import type { Tenant } from '../tenants/tenant';
import type { CatalogTour, CatalogTourFilter, ListedTour, Tour, TourKey } from './tour';
import { isVisibleTo, visibilityJoins } from './visibility';
import { CLOSES_EARLY_AT, openAt } from './departure-state';

/** The time of the last change of the tour, its departures, or the tenant's rules that concern it (0113_versions_and_changes.sql). */
const CHANGED_AT = `greatest(t.updated_at,
    (select max(k.at) from tour_changes c join catalog_commits k on k.change_id = c.change_id where c.tour_id = t.id),
    (select max(k.at) from tenant_changes c join catalog_commits k on k.change_id = c.change_id
     where c.tenant_id = :tenantId and c.scope = any(array['default', 'in ' || t.continent, t.id::text])))`;
/**
 * Selects the end of the first tier for the next open departure, if this tier refunds in full and has not ended. Reads the departure only
 * for a tour with such a tier.
 * @rule whether the widget's card says that it is free: test/widget/embed-page.test.ts
 */
const FULL_REFUND_UNTIL = `case when t.cancellation #> '{tiers,0,refund_percent}' = '100' then (
    select tier.at from (
      select min(instant_before_start(d.departure_date, ${START_TIME}, t.cancellation #>> '{tiers,0,until}', t.time_zone)) as at
      from departures d
      where d.tour_id = t.id and d.departure_date = upcoming.next_departure_date and ${openAt('statement_timestamp()')}) tier
    where tier.at > statement_timestamp()) end`;
/** Selects a ListedTour. The query names the tours `t`, and its FROM clause ends with UPCOMING. */
export const LISTED_COLUMNS = `
  t.id, t.slug, t.language, t.name, t.name_folded, t.summary, t.continent, t.country, t.duration_days,
  t.currency, t.currency_digits, t.categories, t.base_price_minor, t.image_url, t.tags, ${CHANGED_AT} as updated_at,
  t.cancellation, upcoming.next_departure_date, upcoming.first_closing_at, ${FULL_REFUND_UNTIL} as full_refund_until,
  upcoming.lowest_prices`;
/**
 * Selects the start times of the tour `t`, in a statement with UPCOMING. Reads only departures that have a start time of their own, because
 * all other departures begin at the tour's start time.
 */
const START_TIMES = `array(
    select t.start_time where t.start_time is not null
    union
    select d.start_time from departures d
    where d.tour_id = t.id and d.start_time is not null
      and (${openAt('statement_timestamp()')}
        or (upcoming.next_departure_date is null and t.start_time is null))
    order by 1)`;
/** Selects a Tour. The query names the tours `t`, and its FROM clause ends with UPCOMING_BY_CATEGORY. */
export const TOUR_COLUMNS = `${LISTED_COLUMNS},
  t.description, t.images, t.languages, t.time_zone, t.group_size_max, t.start_location, t.end_location, t.itinerary,
  t.inclusions, t.exclusions, t.cancellation_policy, coalesce(t.questions, '[]') as questions, ${TOUR_PICKUP} as pickup, t.booking_cutoff, t.start_time, ${START_TIMES} as start_times, t.revision`;
/**
 * Joins facts about the open departures of the tour: the first date, the first closing time, and the lowest price of each group of dates.
 * All dates of a group have the same price rules of the tenant: a new group begins with the first day of each travel window of a rule, and
 * with the first day after this window. A price rule does not change the order of prices, so the lowest price of a group is enough.
 */
export const UPCOMING = upcoming(
  'jsonb_strip_nulls(jsonb_build_object(first_category(t.categories), min((d.prices_minor ->> first_category(t.categories))::bigint)))',
);
/** UPCOMING, with the lowest price of every category in each group. */
export const UPCOMING_BY_CATEGORY = upcoming(
  `(select jsonb_object_agg(lowest.code, lowest.minor) from (
     select price.code, min(price.minor::bigint) as minor
     from unnest(array_agg(d.prices_minor)) of_date (prices) cross join lateral jsonb_each_text(of_date.prices) price (code, minor)
     group by price.code) lowest)`,
);

/** @param lowest an SQL expression: the lowest prices of a group of the departures `d`, as an object */
function upcoming(lowest: string): string {
  return `cross join lateral (
    select array_agg(distinct bound.date order by bound.date) as dates
    from price_rules r cross join lateral (values (r.travel_from), (r.travel_to + 1)) bound (date)
    where r.tenant_id = :tenantId and bound.date is not null
      and (r.tour_id is null or r.tour_id = t.id) and (r.continent is null or r.continent = t.continent)
  ) windows cross join lateral (
    select min(g.date) as next_departure_date,
      least(min(g.closes_early_at), first_instant(min(g.past_from), t.time_zone)) as first_closing_at,
      coalesce(jsonb_agg(jsonb_build_object('date', g.date, 'prices', g.prices)), '[]') as lowest_prices
    from (select min(d.departure_date) as date, min(${CLOSES_EARLY_AT}) as closes_early_at,
            min(departure_past_from(d.departure_date, ${START_TIME})) as past_from,
            ${lowest} as prices
          from departures d
          where d.tour_id = t.id
            and ${openAt('statement_timestamp()')}
          group by width_bucket(d.departure_date, windows.dates)) g
  ) upcoming`;
}

/**
 * Returns the published tour with this key if the tenant sees it. Because of the limit, PostgreSQL checks the visibility before it reads
 * the departures. Otherwise the response time would reveal that a hidden tour exists: 0.3 ms for 350 departures.
 */
export async function findTourForTenant(db: Db, tenant: Tenant, key: TourKey): Promise<Tour | undefined> {
  const { rows } = await db.raw(
    `select ${TOUR_COLUMNS}
     from (
       select t.* from tours t ${visibilityJoins(':tenantId')}
       where ${'id' in key ? 't.id = :id::uuid' : 't.slug = :slug'} and ${isVisibleTo(tenant)} limit 1
     ) t ${UPCOMING_BY_CATEGORY}`,
    { ...key, tenantId: tenant.id, sellIn: tenant.sellIn },
  );
  return rows.map(withCategories)[0];
}

/** Returns the slugs and names of all tours that the tenant sees, by slug. */
export async function findVisibleNames(db: Db, tenant: Tenant): Promise<{ slug: string; name: string }[]> {
  const { rows } = await db.raw(
    `select t.slug, t.name from tours t ${visibilityJoins(':tenantId')} where ${isVisibleTo(tenant)} order by t.slug`,
    { tenantId: tenant.id, sellIn: tenant.sellIn },
  );
  return rows;
}

/** Returns the row of a tour with its categories. */
export function withCategories<T>({
  categories,
  ...tour
}: T & { categories: readonly Category[] | null }): Omit<T, 'categories'> & Pick<ListedTour, 'categories'> {
  return { ...tour, categories: categoriesOf(categories) };
}

/** Returns the id of a tour with any status. */
export async function findTourId(db: Db, key: TourKey): Promise<string | undefined> {
  return (await db('tours').where(key).first<{ id: string } | undefined>('id'))?.id;
}

/** Returns the tours with these ids, also tours that the tenant does not see. */
export async function findToursById(db: Db, tenant: Tenant, ids: string[]): Promise<Tour[]> {
  const { rows } = await runPrepared<Tour>(
    db,
    `select ${TOUR_COLUMNS} from tours t ${UPCOMING_BY_CATEGORY} where t.id = any(:ids::uuid[])`,
    { ids, tenantId: tenant.id },
  );
  return rows.map(withCategories);
}

export async function findCatalogTour(
  db: Db,
  key: { id: string } | { slug: string },
): Promise<CatalogTour | undefined> {
  const [tour] = await selectTours(db, 'id' in key ? 't.id = :id' : 't.slug = :slug', { ...key, limit: 1 });
  return tour;
}

/** Returns tours by folded name, then id. */
export async function findCatalogTours(db: Db, filter: CatalogTourFilter): Promise<CatalogTour[]> {
  const conditions = [
    filter.status && 't.status = :status',
    filter.continent && 't.continent = :continent',
    filter.nameContains && 'position(:nameContains in t.name_folded) > 0',
    filter.after && '(t.name_folded, t.id) > (select l.name_folded, l.id from tours l where l.id = :after)',
  ].filter(Boolean);
  return selectTours(db, conditions.join(' and ') || 'true', { ...filter });
}

async function selectTours(
  db: Db,
  condition: string,
  bindings: Record<string, unknown>,
): Promise<CatalogTour[]> {
  const { rows } = await db.raw<{ rows: CatalogTour[] }>(
    `select t.id, t.slug, t.name, t.continent, t.country, t.status, t.currency, t.currency_digits, t.categories, t.base_price_minor,
       t.time_zone, t.revision, t.updated_at, upcoming.*
     from (select * from tours t where ${condition} order by t.name_folded, t.id limit :limit) t
       cross join lateral (
         select count(*)::integer as upcoming_departures, min(d.departure_date) as next_departure_date,
           coalesce(min((d.prices_minor ->> first_category(t.categories))::bigint), t.base_price_minor) as price_from_minor
         from departures d
         where d.tour_id = t.id
           and ${openAt('statement_timestamp()')}) upcoming
     order by t.name_folded, t.id`,
    bindings as Record<string, string>,
  );
  return rows.map(withCategories);
}
