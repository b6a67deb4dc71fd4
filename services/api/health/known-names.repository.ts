import type { Db } from '../../platform/database/database';
import { uuidsBeginningWith } from '../../platform/forms/text-forms';
import { START_TIME } from '../catalog/start-time';

/** The tables and columns of names that an operator types: slugs, references and ids. */
const NAMES = {
  tenant: { table: 'tenants', column: 'slug' },
  tour: { table: 'tours', column: 'slug' },
  apiKey: { table: 'api_keys', column: 'id' },
  widgetToken: { table: 'widget_tokens', column: 'id' },
  hold: { table: 'seat_holds', column: 'id' },
  import: { table: 'booking_imports', column: 'id' },
  booking: { table: 'booking_leads', column: 'booking_ref' },
  resource: { table: 'resources', column: 'code' },
} as const;

export type NameKind = keyof typeof NAMES;

/** OFFERED: the most names that completion offers. NEWEST: how many of the newest rows of a large table it searches. */
const OFFERED = 100;
const NEWEST = 2000;

const offered = (names: string) =>
  `select name from (${names}) n where starts_with(name, $1) limit ${OFFERED}`;

/**
 * The statements that find names which begin with $1, for completion in a shell. They leave out names that no command takes any more. The
 * statement of departures takes the slug of their tour as $2. It finds departures from yesterday (UTC) on, and names the start time if the
 * date has several departures.
 */
export const COMPLETED_NAMES: Record<NameKind | 'departure', string> = {
  tenant: offered('select slug as name from tenants order by slug'),
  tour: offered('select slug as name from tours order by slug'),
  apiKey: offered('select id as name from api_keys where revoked_at is null order by created_at desc'),
  widgetToken: offered(
    'select id as name from widget_tokens where revoked_at is null order by created_at desc',
  ),
  hold: offered(
    `select id::text as name from seat_holds where hold_takes_seats(status) order by expires_at desc limit ${NEWEST}`,
  ),
  import: offered(
    'select id::text as name from booking_imports where undone_at is null order by created_at desc',
  ),
  booking: offered(`select booking_ref as name from booking_leads order by id desc limit ${NEWEST}`),
  resource: offered('select code as name from resources order by code'),
  departure: offered(
    `select d.departure_date || case when count(*) over (partition by d.departure_date) > 1 then 'T' || ${START_TIME} else '' end
       as name
     from departures d join tours t on t.id = d.tour_id
     where t.slug = $2 and d.departure_date >= (now() at time zone 'UTC')::date - 1
     order by d.departure_date, ${START_TIME}`,
  ),
};

/** Returns the tenants or tours whose slug or name contains the text, by slug, at most `limit`. */
export async function findSlugsContaining(
  db: Db,
  kind: 'tenant' | 'tour',
  text: string,
  limit: number,
): Promise<{ slug: string; name: string }[]> {
  return db(NAMES[kind].table)
    .select('slug', 'name')
    .whereRaw("position(lower(?) in lower(slug || ' ' || name)) > 0", [text])
    .orderBy('slug')
    .limit(limit);
}

/** The most rows that are read of a large table, the newest first. It is enough for all slugs of a catalog. */
const ROWS_MAX = 20_000;

/**
 * Returns the names that the operator may have meant by a mistyped name: names of about the same length, and names that contain it. Reads
 * at most 20,000 rows, the newest first.
 */
export async function findSimilarNames(db: Db, kind: NameKind, typed: string): Promise<string[]> {
  const { table, column } = NAMES[kind];
  const name = db.raw('??::text', [column]);
  const recent = db(table)
    .select({ name, at: 'created_at' })
    .orderBy('created_at', 'desc')
    .limit(ROWS_MAX)
    .as('recent');
  return db
    .from(recent)
    .whereRaw('length(name) between ? and ? or position(? in name) > 0', [
      typed.length - 3,
      typed.length + 3,
      typed,
    ])
    .pluck<string[]>('name');
}

/** Returns the ids that begin with the text, at most `limit`. @param start for a UUID its valid beginning, in lower case */
export async function findIdsBeginningWith(
  db: Db,
  kind: 'apiKey' | 'widgetToken' | 'hold' | 'import',
  start: string,
  limit: number,
): Promise<string[]> {
  const query = db(NAMES[kind].table).orderBy('id').limit(limit);
  // Searches a range of ids: PostgreSQL finds it by the primary key, even among many holds.
  const range = kind === 'hold' || kind === 'import' ? uuidsBeginningWith(start) : undefined;
  if (range) void query.whereBetween('id', range);
  else void query.whereRaw('starts_with(id::text, ?)', [start]);
  return query.pluck<string[]>('id');
}
