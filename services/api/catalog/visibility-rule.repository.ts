import type { Db, Trx } from '../../platform/database/database';
import { type Visibility, visibleTours } from './visibility';

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
