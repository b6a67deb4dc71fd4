import type { Db, Trx } from '../../platform/database/database';
import { START_TIME } from '../catalog/start-time';
import type { Closing, GivenTime, Resource, ResourceValues, TimeSpan } from './resource';

const COLUMNS = [
  'id',
  'code',
  'name',
  'kind',
  'places',
  'units',
  'turnaround',
  'time_zone',
  'phone',
  'email',
  'created_at',
] as const;

/** Returns the resources by code, at most `limit`. @param after the code of the last one of the previous page */
export async function selectResources(
  db: Db,
  { after, kind, limit }: { after?: string; kind?: string; limit: number },
): Promise<Resource[]> {
  const query = db('resources')
    .select<Resource[]>(...COLUMNS)
    .orderBy('code')
    .limit(limit);
  if (after !== undefined) void query.where('code', '>', after);
  if (kind !== undefined) void query.where({ kind });
  return query;
}

export async function selectResource(db: Db, code: string): Promise<Resource | undefined> {
  return db('resources')
    .select<Resource[]>(...COLUMNS)
    .where({ code })
    .first();
}

/** Returns the ids of the resources by their codes. */
export async function selectResourceIds(db: Db, codes: string[]): Promise<Map<string, string>> {
  const rows = await db('resources')
    .select<{ id: string; code: string }[]>('id', 'code')
    .whereIn('code', codes);
  return new Map(rows.map(({ id, code }) => [code, id]));
}

/** Returns the own uses of a departure. Null: those of its tour. */
export async function selectOwnUses(db: Db, departureId: string): Promise<object[] | null> {
  const row = await db('departures')
    .where({ id: departureId })
    .first<{ uses: object[] | null } | undefined>('uses');
  return row?.uses ?? null;
}

/** Inserts a resource. @returns undefined: there is one with its code */
export async function insertResource(
  trx: Trx,
  code: string,
  values: ResourceValues,
): Promise<Resource | undefined> {
  const rows = await trx('resources')
    .insert({ code, ...toRow(values) })
    .onConflict('code')
    .ignore()
    .returning<Resource[]>([...COLUMNS]);
  return rows[0];
}

/** Changes a resource. The caller holds its lock. */
export async function updateResource(trx: Trx, id: string, values: ResourceValues): Promise<void> {
  await trx('resources')
    .where({ id })
    .update({ ...toRow(values), updated_at: trx.raw('clock_timestamp()') });
}

function toRow({ timeZone, ...values }: ResourceValues) {
  return { ...values, time_zone: timeZone };
}

/** Deletes a resource and its closings. The caller holds its lock. */
export async function deleteResource(trx: Trx, id: string): Promise<void> {
  await trx('resources').where({ id }).del();
}

/** Returns whether PostgreSQL knows the time zone by its IANA name. */
export async function isKnownTimeZone(db: Db, name: string): Promise<boolean> {
  return (await db('pg_timezone_names').where({ name }).first('name')) !== undefined;
}

/** Returns the names of tours, and of departures to come with a list of their own, that use the resource: the first five. */
export async function selectUsersOf(db: Db, code: string): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select t.slug as name from tours t where t.uses @> :uses::jsonb
     union all
     select t.slug || ' ' || d.departure_date || coalesce('T' || ${START_TIME}, '')
     from departures d join tours t on t.id = d.tour_id
     where d.uses @> :uses::jsonb and d.departure_date >= (now() at time zone t.time_zone)::date
     order by 1 limit 5`,
    { uses: JSON.stringify([{ resource: code }]) },
  );
  return rows.map(({ name }) => name);
}

/** Converts a time of a resource to instants. Null: an end of the time has no instant. */
export async function selectTimeSpan(db: Db, given: GivenTime, timeZone: string): Promise<TimeSpan> {
  const instant = (name: string, days: number) =>
    `case when length(:${name}) = 10 then instant_of(:${name}::date + ${days} + time '00:00', :timeZone) else :${name}::timestamptz end`;
  const { rows } = await db.raw<{ rows: [TimeSpan] }>(
    `select ${instant('from', 0)} as "from", ${instant('to', 1)} as "to"`,
    { ...given, timeZone },
  );
  return rows[0];
}

/** Returns the closings of a resource that meet a time, in the order of their beginnings. */
export async function selectClosings(db: Db, resourceId: string, time: TimeSpan): Promise<Closing[]> {
  const { rows } = await db.raw<{ rows: Closing[] }>(
    `select lower(during) as "from", upper(during) as "to", units, reason from resource_closings
     where resource_id = :resourceId and during && tstzrange(:from, :to) order by lower(during), id`,
    { resourceId, ...time },
  );
  return rows;
}

export async function insertClosing(
  trx: Trx,
  resourceId: string,
  { from, to, units, reason }: Closing,
  createdBy: string,
): Promise<void> {
  await trx('resource_closings').insert({
    resource_id: resourceId,
    during: trx.raw('tstzrange(?, ?)', [from, to]),
    units,
    reason,
    created_by: createdBy,
  });
}

/** Ends the closings of a resource in a time: what they close before and after it stays. */
export async function cutClosings(trx: Trx, resourceId: string, time: TimeSpan): Promise<void> {
  await trx.raw(
    `with cut as (
       delete from resource_closings where resource_id = :resourceId and during && tstzrange(:from, :to) returning *
     )
     insert into resource_closings (resource_id, during, units, reason, created_at, created_by)
     select cut.resource_id, rest.during, cut.units, cut.reason, cut.created_at, cut.created_by
     from cut cross join lateral (values (cut.during * tstzrange(null, :from)), (cut.during * tstzrange(:to, null))) as rest (during)
     where not isempty(rest.during)`,
    { resourceId, ...time },
  );
}

/** A date of a departure that uses a resource. */
interface DateOfResource {
  departureId: string;
  tourId: string;
  /** YYYY-MM-DD */
  date: string;
}

/**
 * Returns the departures that use a resource and are not past, whose free seats a change of the resource may change.
 * @param time undefined: all; otherwise those whose trips meet it
 */
export async function selectDatesOfResource(
  db: Db,
  resourceId: string,
  time?: TimeSpan,
): Promise<DateOfResource[]> {
  const { rows } = await db.raw<{ rows: DateOfResource[] }>(
    `select distinct d.id as departure_id, d.tour_id, d.departure_date as date
     from departure_uses near
       join resources r on r.id = near.resource_id
       -- The other departures of the trip, which may begin earlier.
       join departure_uses u on u.resource_id = near.resource_id and u.trip = near.trip and u.during && near.during
       join departures d on d.id = u.departure_id
     where near.resource_id = :resourceId and upper(u.during) > now() and d.status = 'scheduled'
       and near.during && tstzrange(:from::timestamptz - make_interval(mins => r.turnaround), :to)`,
    { resourceId, from: time?.from ?? null, to: time?.to ?? null },
  );
  return rows;
}
