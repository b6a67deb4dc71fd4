import type { Db, Trx } from '../../platform/database/database';
import { decidingRule, type Visibility } from './visibility';

export async function findVisibilityRules(
  db: Db,
  tenantId: string,
): Promise<Omit<Visibility, 'defaultVisible'>> {
  const continents = await db('visibility_continent_rules')
    .select('continent', 'visible')
    .where({ tenant_id: tenantId })
    .orderBy('continent');
  const tours = await db('visibility_tour_rules as r')
    .join('tours as t', 't.id', 'r.tour_id')
    .select('t.id', 't.slug', 't.name', 'r.visible')
    .where('r.tenant_id', tenantId)
    .orderBy(['r.name_folded', 'r.tour_id']);
  return { continents, tours };
}

/** How many of the published tours a tenant sees. */
export interface VisibleTours {
  /** True: the tenant has a tour rule or a continent rule. False: only its default decides. */
  byRule: boolean;
  visible: number;
  published: number;
}

/**
 * Returns common table expressions that count the published tours which each tenant sees:
 * - published: the number of published tours by continent and currency.
 * - tenant: the tenants.
 * - by_continent: the number of tours that the continent rules and the default of each tenant show.
 * - by_tour: how many tours more, or fewer, the tour rules of each tenant show.
 * - counted: the number of tours that each tenant sees.
 * @param tenants SQL of the tenants, with `default_visible` and `sells`: the currencies of the tours that the tenant can sell; null: all
 */
export function visibleTours(tenants: string): string {
  return `published as materialized (
       select continent, currency, count(*) as tours from tours where status = 'published' group by continent, currency
     ), tenant as (${tenants}), by_continent as (
       select t.id, sum(p.tours) filter (where ${decidingRule({ continent: 'r.visible', default: 't.default_visible' })}
         and (t.sells is null or p.currency = any(t.sells))) as tours
       from tenant t cross join published p
       left join visibility_continent_rules r on r.tenant_id = t.id and r.continent = p.continent
       group by t.id
     ), by_tour as (
       select t.id, sum(case when r.visible then 1 else -1 end) as tours
       from tenant t join visibility_tour_rules r on r.tenant_id = t.id
       join tours o on o.id = r.tour_id and o.status = 'published'
       left join visibility_continent_rules c on c.tenant_id = t.id and c.continent = o.continent
       where r.visible <> ${decidingRule({ continent: 'c.visible', default: 't.default_visible' })}
         and (t.sells is null or o.currency = any(t.sells))
       group by t.id
     ), counted as (
       select t.id, (coalesce(c.tours, 0) + coalesce(b.tours, 0))::integer as visible
       from tenant t left join by_continent c using (id) left join by_tour b using (id)
     )`;
}

/** Counts the published tours that each tenant sees. The key of the result is the tenant's id. */
export async function countVisibleTours(db: Db, tenantIds: string[]): Promise<Map<string, VisibleTours>> {
  const { rows } = await db.raw<{ rows: ({ id: string } & VisibleTours)[] }>(
    `with ${visibleTours(
      'select id, default_visible, case when sell_in is not null then sellable_currencies(sell_in) end as sells from tenants where id = any (:tenantIds::uuid[])',
    )}
     select c.id, c.visible,
       (select coalesce(sum(tours), 0) from published)::integer as published,
       exists (select from visibility_tour_rules r where r.tenant_id = c.id)
         or exists (select from visibility_continent_rules r where r.tenant_id = c.id) as by_rule
     from counted c`,
    { tenantIds },
  );
  return new Map(rows.map(({ id, ...tours }) => [id, tours]));
}

/** Returns the tenant's rules for one tour and for its continent. */
export async function findRulesOfTour(
  db: Db,
  tenantId: string,
  tour: { id: string; continent: string },
): Promise<{ tour: boolean | undefined; continent: boolean | undefined }> {
  const ofTour = await db('visibility_tour_rules')
    .where({ tenant_id: tenantId, tour_id: tour.id })
    .first<{ visible: boolean } | undefined>('visible');
  const ofContinent = await db('visibility_continent_rules')
    .where({ tenant_id: tenantId, continent: tour.continent })
    .first<{ visible: boolean } | undefined>('visible');
  return { tour: ofTour?.visible, continent: ofContinent?.visible };
}

export async function putTourRule(
  trx: Trx,
  tenantId: string,
  tourId: string,
  visible: boolean,
): Promise<void> {
  // FOR KEY SHARE waits for an import that renames the tour, so that the rule gets the new name as its sort key.
  await trx.raw(
    `insert into visibility_tour_rules (tenant_id, tour_id, visible, continent, name_folded)
     select :tenantId, t.id, :visible, t.continent, t.name_folded from tours t where t.id = :tourId for key share
     on conflict (tenant_id, tour_id) do update set visible = excluded.visible`,
    { tenantId, tourId, visible },
  );
}

export async function deleteTourRule(trx: Trx, tenantId: string, tourId: string): Promise<void> {
  await trx('visibility_tour_rules').where({ tenant_id: tenantId, tour_id: tourId }).delete();
}

export async function putContinentRule(
  trx: Trx,
  tenantId: string,
  continent: string,
  visible: boolean,
): Promise<void> {
  await trx('visibility_continent_rules')
    .insert({ tenant_id: tenantId, continent, visible })
    .onConflict(['tenant_id', 'continent'])
    .merge(['visible']);
}

export async function deleteContinentRule(trx: Trx, tenantId: string, continent: string): Promise<void> {
  await trx('visibility_continent_rules').where({ tenant_id: tenantId, continent }).delete();
}
