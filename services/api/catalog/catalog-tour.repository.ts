import type { Db } from '../../platform/database';
import type { CatalogTour, CatalogTourFilter, TourStatus } from './tour';

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

/** Checks for a tour in this continent. A rule may name a continent before its first tour; a typing error looks the same. */
export async function isContinentOfSomeTour(db: Db, continent: string): Promise<boolean> {
  return (await db('tours').select('id').where({ continent }).first()) !== undefined;
}

async function selectTours(
  db: Db,
  condition: string,
  bindings: Record<string, unknown>,
): Promise<CatalogTour[]> {
  const { rows } = await db.raw<{ rows: CatalogTourRow[] }>(
    `select t.id, t.slug, t.name, t.continent, t.country, t.status, t.currency, t.currency_digits, t.base_price_minor,
       t.time_zone, t.revision, t.updated_at, upcoming.departures, upcoming.next_date
     from (select * from tours t where ${condition} order by t.name_folded, t.id limit :limit) t
       cross join lateral (
         select count(*)::integer as departures, min(d.departure_date) as next_date
         from departures d
         where d.tour_id = t.id
           and departure_is_open(d.status, d.departure_date, d.closes_at, t.time_zone, statement_timestamp())) upcoming
     order by t.name_folded, t.id`,
    bindings as Record<string, string>,
  );
  return rows.map(toCatalogTour);
}

interface CatalogTourRow {
  id: string;
  slug: string;
  name: string;
  continent: string;
  country: string;
  status: TourStatus;
  currency: string;
  currency_digits: number;
  base_price_minor: number;
  time_zone: string;
  revision: number;
  updated_at: Date;
  departures: number;
  next_date: string | null;
}

function toCatalogTour(row: CatalogTourRow): CatalogTour {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    continent: row.continent,
    country: row.country,
    status: row.status,
    currency: row.currency,
    currencyDigits: row.currency_digits,
    basePriceMinor: row.base_price_minor,
    timeZone: row.time_zone,
    revision: row.revision,
    updatedAt: row.updated_at,
    upcomingDepartures: row.departures,
    nextDepartureDate: row.next_date,
  };
}
