import type { Db } from '../../platform/database';

/** The dates that these tours already have, as `slug date`. */
export async function findPlantedDates(db: Db, slugs: string[]): Promise<Set<string>> {
  const rows = await db('departures')
    .join('tours', 'tours.id', 'departures.tour_id')
    .whereIn('tours.slug', slugs)
    .select<{ slug: string; departure_date: string }[]>('tours.slug', 'departures.departure_date');
  return new Set(rows.map((row) => `${row.slug} ${row.departure_date}`));
}
