import type { Db, Trx } from '../../platform/database';

/** Any number: it only has to be the same for every process that plants the demo. */
const PLANTING_LOCK = 3_519_204_717;

/** Lets one process after the other plant the demo, until the end of the transaction. */
export async function lockPlanting(trx: Trx): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(${PLANTING_LOCK})`);
}

/** Returns the slugs that tours already use. */
export async function findTakenTourSlugs(db: Db, slugs: string[]): Promise<Set<string>> {
  return new Set((await db('tours').whereIn('slug', slugs).pluck('slug')) as string[]);
}

/** Records the current version of these tours as the demo's own. */
export async function recordDemoTours(trx: Trx, slugs: string[]): Promise<void> {
  await trx.raw(
    `insert into demo_tours (tour_id, updated_at) select id, updated_at from tours where slug = any(:slugs)
     on conflict (tour_id) do update set updated_at = excluded.updated_at`,
    { slugs },
  );
}

/** Returns the demo tours without other changes, with the date of the last departure of each. */
export async function findUntouchedTours(db: Db): Promise<Map<string, string>> {
  const rows = await db('demo_tours as demo')
    .join('tours as t', 't.id', 'demo.tour_id')
    .join('departures as d', 'd.tour_id', 't.id')
    .whereRaw('t.updated_at = demo.updated_at')
    .groupBy('t.slug')
    .select<{ slug: string; last: string }[]>('t.slug', db.raw('max(d.departure_date) as last'));
  return new Map(rows.map(({ slug, last }) => [slug, last]));
}
