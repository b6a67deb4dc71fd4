import type { Db } from '../../platform/database/database';
import type { CatalogFilters } from './catalog-filters';
import type { Tenant } from '../tenants/tenant';
import { andSellable, isVisibleTo, VISIBLE_CONTINENTS, visibilityJoins } from './visibility';
import { openAt, SALES_END_AT } from './departure-state';

/**
 * Returns the filters. Reads all tours that the tenant sees in one pass. Reads the first and the last open departure from the index of
 * dates.
 * @returns `firstClosingAt`: the earlier of the closing times of these two departures
 */
export async function findCatalogFilters(
  db: Db,
  tenant: Tenant,
): Promise<CatalogFilters & { firstClosingAt: Date | null }> {
  const { rows } = await db.raw(
    `with visible as materialized (
       select t.continent, t.country, t.duration_days, t.tags
       from tours t ${visibilityJoins(':tenantId')} where ${isVisibleTo(tenant)}
     )
     select ${countedValues('continent', 'visible')} as continents, ${countedValues('country', 'visible')} as countries,
       ${countedValues('tag', 'visible cross join lateral (select distinct unnest(tags) as tag) as each_tag')} as tags,
       (select min(duration_days) from visible) as duration_min, (select max(duration_days) from visible) as duration_max,
       first.departure_date as departs_from, last.departure_date as departs_to, least(first.closes_at, last.closes_at) as first_closing_at
     from (select) one left join lateral (${openDeparture(tenant, 'asc')}) first on true left join lateral (${openDeparture(tenant, 'desc')}) last on true`,
    { tenantId: tenant.id, sellIn: tenant.sellIn },
  );
  return rows[0];
}

function countedValues(column: string, from: string): string {
  return `(select coalesce(jsonb_agg(jsonb_build_object('value', value, 'tours', tours) order by value collate "C"), '[]')
           from (select ${column} as value, count(*) as tours from ${from} group by ${column}) as counted)`;
}

/**
 * Selects the first or the last open departure. Begins with yesterday's date in UTC, because in some time zones that day is not over.
 */
function openDeparture(tenant: Tenant, order: 'asc' | 'desc'): string {
  return `select d.departure_date, ${SALES_END_AT} as closes_at
     from departures d join tours t on t.id = d.tour_id ${visibilityJoins(':tenantId')}
     where ${isVisibleTo(tenant)} and d.departure_date >= (statement_timestamp() at time zone 'UTC')::date - 1
       and ${openAt('statement_timestamp()')}
     order by d.departure_date ${order} limit 1`;
}

/** Returns the slugs of the continents in which the tenant sees a tour. Steps through the index of continents and checks each one. */
export async function listContinents(db: Db, tenant: Tenant): Promise<string[]> {
  const { rows } = await db.raw(
    `${VISIBLE_CONTINENTS}
     select c.continent
     from continents c
     where c.continent is not null
       and (exists (
              select from seen where seen.continent = c.continent and exists (
                select from tours t
                where t.status = 'published' and t.continent = c.continent ${andSellable(tenant)}
                  and not exists (select from visibility_tour_rules r
                                  where r.tenant_id = :tenantId and r.tour_id = t.id and not r.visible)))
            or exists (
              select from visibility_tour_rules r join tours t on t.id = r.tour_id and t.status = 'published'
              where r.tenant_id = :tenantId and r.visible and r.continent = c.continent ${andSellable(tenant)}))
     order by c.continent`,
    { tenantId: tenant.id, sellIn: tenant.sellIn, defaultVisible: tenant.defaultVisible },
  );
  return rows.map((row: { continent: string }) => row.continent);
}
