import type { Db, Trx } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import type { ListedTour, Tour, TourKey } from './tour';
import { IS_VISIBLE, visibilityJoins } from './visibility';

const LISTED_COLUMNS = `
  t.id, t.slug, t.name, t.name_folded, t.summary, t.continent, t.country, t.duration_days,
  t.currency, t.currency_digits, t.base_price_minor, t.image_url, t.tags, t.updated_at,
  upcoming.next_departure_date, upcoming.first_closing_at, upcoming.lowest_prices`;
const TOUR_COLUMNS = `${LISTED_COLUMNS},
  t.description, t.images, t.languages, t.time_zone, t.group_size_max, t.start_location, t.end_location, t.itinerary,
  t.inclusions, t.exclusions, t.cancellation_policy, t.revision`;
/**
 * Joins the open departures of the tour: the first date, the first closing, and the lowest price of each group of dates to which
 * the same price rules of the tenant apply. A rule never makes a lower price higher than a higher one, so a group's lowest
 * price is enough. The dates that bound the groups are the first days of travel windows and the first days after them.
 */
const UPCOMING = `cross join lateral (
    select array_agg(distinct bound.date order by bound.date) as dates
    from price_rules r cross join lateral (values (r.travel_from), (r.travel_to + 1)) bound (date)
    where r.tenant_id = :tenantId and bound.date is not null
      and (r.tour_id is null or r.tour_id = t.id) and (r.continent is null or r.continent = t.continent)
  ) windows cross join lateral (
    select min(g.date) as next_departure_date,
      least(min(g.closes_at), departure_closes_at(min(g.date), null, t.time_zone)) as first_closing_at,
      coalesce(jsonb_agg(jsonb_build_object('date', g.date, 'adult', g.adult)), '[]') as lowest_prices
    from (select min(d.departure_date) as date, min(d.closes_at) as closes_at, min((d.prices_minor->>'adult')::bigint) as adult
          from departures d
          where d.tour_id = t.id
            and departure_is_open(d.status, d.departure_date, d.closes_at, t.time_zone, statement_timestamp())
          group by width_bucket(d.departure_date, windows.dates)) g
  ) upcoming`;

/** Steps through the index of continents with a published tour, which is cheaper than `distinct` over all tours. */
const CONTINENTS = `with recursive continents (continent) as (
       (select t.continent from tours t where t.status = 'published' order by t.continent limit 1)
       union all
       select (select t.continent from tours t where t.status = 'published' and t.continent > c.continent
               order by t.continent limit 1)
       from continents c where c.continent is not null
     )`;

/** Returns the published tour of this key if the tenant sees it. */
export async function findTourForTenant(db: Db, tenant: Tenant, key: TourKey): Promise<Tour | undefined> {
  const { rows } = await db.raw(
    `select ${TOUR_COLUMNS}
     from tours t
       ${UPCOMING}
       ${visibilityJoins(':tenantId')}
     where ${'id' in key ? 't.id = :id::uuid' : 't.slug = :slug'} and ${IS_VISIBLE}`,
    { ...key, tenantId: tenant.id },
  );
  return rows[0];
}

interface CatalogPageRequest {
  limit: number;
  continent?: string;
  /** Folded text to find in the folded name. */
  nameContains?: string;
  /** The last tour of the previous page. */
  after?: { nameFolded: string; id: string };
}

/**
 * Returns one page of the tours that a tenant sees, by folded name, then id. Uses the index of the rules and the list of
 * visible continents, so that page 3,000 costs the same as page 1. A join with coalesce() reads the whole catalog (27 to
 * 46 ms for 100,000 tours).
 */
export async function findCatalogPage(
  db: Db,
  tenant: Tenant,
  page: CatalogPageRequest,
): Promise<ListedTour[]> {
  const conditions = (row: string, id: string) =>
    [
      page.continent === undefined ? '' : `and ${row}.continent = :continent`,
      page.nameContains === undefined ? '' : `and ${row}.name_folded like :pattern`,
      page.after ? `and (${row}.name_folded, ${row}.${id}) > (:afterName, :afterId::uuid)` : '',
    ].join(' ');
  const { rows } = await db.raw(
    `${CONTINENTS},
     seen as (
       select c.continent
       from continents c
         left join visibility_continent_rules vc on vc.tenant_id = :tenantId and vc.continent = c.continent
       where c.continent is not null and coalesce(vc.visible, :defaultVisible)
     ),
     page as (
       (select r.tour_id as id, r.name_folded
        from visibility_tour_rules r join tours t on t.id = r.tour_id and t.status = 'published'
        where r.tenant_id = :tenantId and r.visible ${conditions('r', 'tour_id')}
        order by r.name_folded, r.tour_id limit :limit)
       union all
       (select found.id, found.name_folded
        from seen cross join lateral (
          select t.id, t.name_folded from tours t
          where t.status = 'published' and t.continent = seen.continent ${conditions('t', 'id')}
            and not exists (select from visibility_tour_rules r where r.tenant_id = :tenantId and r.tour_id = t.id)
          order by t.name_folded, t.id limit :limit) found)
       order by name_folded, id limit :limit
     )
     select ${LISTED_COLUMNS} from page join tours t on t.id = page.id ${UPCOMING} order by page.name_folded, page.id`,
    {
      tenantId: tenant.id,
      defaultVisible: tenant.defaultVisible,
      limit: page.limit,
      continent: page.continent ?? null,
      pattern: `%${escapeLike(page.nameContains ?? '')}%`,
      afterName: page.after?.nameFolded ?? null,
      afterId: page.after?.id ?? null,
    },
  );
  return rows;
}

/**
 * Increments the revision, so that every instance drops its cached entries of this tour from the commit on. The terminal is
 * a separate process and cannot drop them.
 */
export async function recordTerminalChange(trx: Trx, tourId: string): Promise<void> {
  await trx('tours').where({ id: tourId }).increment('revision', 1);
}

/** Escapes a text for LIKE. */
function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** Returns the slugs of the continents with a visible tour. Steps through the index of continents and checks each one. */
export async function listContinents(db: Db, tenant: Tenant): Promise<string[]> {
  const { rows } = await db.raw(
    `${CONTINENTS}
     select c.continent
     from continents c
       left join visibility_continent_rules vc on vc.tenant_id = :tenantId and vc.continent = c.continent
     where c.continent is not null
       and (coalesce(vc.visible, :defaultVisible) and exists (
              select from tours t
              where t.status = 'published' and t.continent = c.continent
                and not exists (select from visibility_tour_rules r
                                where r.tenant_id = :tenantId and r.tour_id = t.id and not r.visible))
            or exists (
              select from visibility_tour_rules r join tours t on t.id = r.tour_id and t.status = 'published'
              where r.tenant_id = :tenantId and r.visible and r.continent = c.continent))
     order by c.continent`,
    { tenantId: tenant.id, defaultVisible: tenant.defaultVisible },
  );
  return rows.map((row: { continent: string }) => row.continent);
}
