import { type Db, inTransaction } from '../../platform/database/database';
import { dateOf } from '../../platform/forms/days';
import { startOfInstance } from '../../platform/read-cache/instance.repository';
import { HAS_CUTOFF, SALES_END_AT } from '../catalog/departure-state';

/** The highest count that is shown exactly. Queries count at most one more than this, to show that there are more. */
const COUNTED_MAX = 10_000;

export interface DatabaseFacts {
  now: Date;
  /** The beginning of the day of `now`, UTC. */
  today: Date;
  version: string;
  startedAt: Date;
}

/** Reads facts about the server, which need none of our tables. */
export async function findDatabaseFacts(db: Db): Promise<DatabaseFacts> {
  const { rows } = await db.raw<{ rows: [DatabaseFacts] }>(
    `select now() as now, date_trunc('day', now(), 'UTC') as today, current_setting('server_version') as version,
       pg_postmaster_start_time() as started_at`,
  );
  return rows[0];
}

/** The version of the operating system's collation library that the indexes of the database were built with, and its present version. */
export interface CollationVersions {
  /** The name of the database, quoted for SQL. */
  database: string;
  recorded: string;
  present: string;
}

/**
 * Reads the versions of the database's default collation, which sorts the keys of our indexes.
 * @returns undefined for a collation without versions, such as `C`
 */
export async function findCollationVersions(db: Db): Promise<CollationVersions | undefined> {
  const { rows } = await db.raw<{ rows: CollationVersions[] }>(
    `select format('%I', datname) as database, datcollversion as recorded, pg_database_collation_actual_version(oid) as present
     from pg_database
     where datname = current_database() and datcollversion is not null
       and pg_database_collation_actual_version(oid) is not null`,
  );
  return rows[0];
}

/**
 * Reads whether a session of this database compiles expensive statements unless it turns jit off. Its own setting is off
 * (platform/database/connect.ts), so this reads the value that a session begins with.
 */
export async function findCompilation(db: Db): Promise<{ compiles: boolean; database: string }> {
  return inTransaction(db, async (trx) => {
    // pg_jit_available() is false while jit is off.
    await trx.raw('set local jit = on');
    const { rows } = await trx.raw<{ rows: [{ compiles: boolean; database: string }] }>(
      `select reset_val::boolean and pg_jit_available() as compiles, format('%I', current_database()) as database
       from pg_settings where name = 'jit'`,
    );
    return rows[0];
  });
}

/** The last backup that `tourctl backup` completed, or recorded for another tool. */
export interface LastBackup {
  /** The file, or the name of the other tool. */
  subject: string;
  ageSeconds: number;
}

/** Reads the last backup from the audit log. Returns undefined if tourctl has made none, and has recorded none. */
export async function findLastBackup(db: Db): Promise<LastBackup | undefined> {
  const { rows } = await db.raw<{ rows: LastBackup[] }>(
    `select subject, extract(epoch from now() - at)::float8 as age_seconds
     from audit_log
     where action = 'backup.complete'
     order by at desc
     limit 1`,
  );
  return rows[0];
}

export interface ApiInstance {
  id: string;
  /** Null: an instance of an earlier release. */
  startedAt: Date | null;
  polledAt: Date;
  /** False: the instance was killed, or is disconnected from the database. */
  alive: boolean;
}

/**
 * Lists the processes of the API that use a read cache, the oldest first.
 * @param silentSeconds a process is alive if its last poll was at most this long ago
 */
export async function findInstances(db: Db, silentSeconds: number): Promise<ApiInstance[]> {
  const rows = await db('api_instances')
    .orderBy('id')
    .limit(1000)
    .select<Omit<ApiInstance, 'startedAt'>[]>(
      'id',
      'polled_at',
      db.raw('polled_at >= clock_timestamp() - make_interval(secs => ?) as alive', [silentSeconds]),
    );
  return rows.map((row) => ({ ...row, startedAt: startOfInstance(row.id) }));
}

/** Holds and bookings that wait for the customer. Those of sandbox tenants are not counted. */
export interface WaitingSales {
  activeHolds: number;
  unpaidBookings: number;
  /** The earliest time at which an unpaid booking expires. */
  nextExpiry: Date | null;
  /** Open departures of published tours whose sale ends before the end of this day, UTC. */
  closingToday: number;
}

/**
 * Counts the sales that wait. For departures without a closing time and without a cut-off, searches only dates from yesterday to tomorrow,
 * because such departures close on their date in the tour's time zone.
 */
export async function findWaitingSales(db: Db): Promise<WaitingSales> {
  const { rows } = await db.raw<{ rows: [WaitingSales] }>(
    `select
       (select count(*) from (
          select from seat_holds where hold_lives(status, expires_at, now()) and not sandbox limit :bound
        ) h) as active_holds,
       (select count(*) from (
          select from booking_leads
          where lead_is_unpaid(status, payment_due_at, now()) and not sandbox limit :bound
        ) l) as unpaid_bookings,
       (select min(payment_due_at) from booking_leads
        where lead_is_unpaid(status, payment_due_at, now()) and not sandbox) as next_expiry,
       (select count(*) from departures d join tours t on t.id = d.tour_id and t.status = 'published'
        where d.status = 'scheduled' and d.departure_date >= current_date - 1
          and (d.closes_at <= date_trunc('day', now(), 'UTC') + interval '1 day' or ${HAS_CUTOFF} or d.departure_date < current_date + 2)
          and ${SALES_END_AT} >= now()
          and ${SALES_END_AT}
            <= date_trunc('day', now(), 'UTC') + interval '1 day') as closing_today`,
    { bound: COUNTED_MAX + 1 },
  );
  return rows[0];
}

/** Counts the refused requests of real tenants on a day (UTC) by code, the most frequent first. */
export async function countRefusalsByCode(db: Db, day: Date): Promise<{ code: string; count: number }[]> {
  return db('sale_refusal_counts as c')
    .join('tenants as t', 't.id', 'c.tenant_id')
    .where({ 'c.day': dateOf(day), 't.sandbox': false })
    .groupBy('c.code')
    .orderByRaw('2 desc, 1')
    .select<{ code: string; count: number }[]>('c.code', db.raw('sum(c.count)::integer as count'));
}
