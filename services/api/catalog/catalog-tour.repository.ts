import type { Db } from '../../platform/database';
import type { CatalogTour, CatalogTourFilter } from './tour';

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
    `select t.id, t.slug, t.name, t.continent, t.country, t.status, t.currency, t.currency_digits, t.base_price_minor,
       t.time_zone, t.revision, t.updated_at, upcoming.*
     from (select * from tours t where ${condition} order by t.name_folded, t.id limit :limit) t
       cross join lateral (
         select count(*)::integer as upcoming_departures, min(d.departure_date) as next_departure_date,
           coalesce(min((d.prices_minor->>'adult')::bigint), t.base_price_minor) as price_from_minor
         from departures d
         where d.tour_id = t.id
           and departure_is_open(d.status, d.departure_date, d.closes_at, t.time_zone, statement_timestamp())) upcoming
     order by t.name_folded, t.id`,
    bindings as Record<string, string>,
  );
  return rows;
}
