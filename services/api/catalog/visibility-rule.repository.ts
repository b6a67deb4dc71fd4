import type { Db, Trx } from '../../platform/database';
import type { Visibility } from './visibility';

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
  // "for key share" waits for an import that renames the tour, so that the copied sort key is never the old one.
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
