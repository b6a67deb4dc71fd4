import { type Db, inTransaction, type Trx } from '../../platform/database/database';
import type { Logger } from '../../platform/logger';

/**
 * Number of future months whose partitions exist. So the queue may stand still for a month. A row of a month without a partition goes to
 * the default partition; such rows are called stranded.
 */
const MONTHS_AHEAD = 2;
/** Limits the batches of one round, so that a worker can stop quickly. The next round continues with the next batch. */
const BATCHES_A_ROUND = 20;

/**
 * Creates the partitions of the coming months, and drops the partitions of months that ended more than `retentionDays` days ago. Calls the
 * functions of 0112_webhook_months.sql.
 */
export async function keepHistory(db: Db, log: Logger, retentionDays: number): Promise<void> {
  if (!(await expireOldStranded(db, log, retentionDays))) return;
  const made = await makeMonths(db, MONTHS_AHEAD);
  if (made.length > 0) log.info({ made }, 'history months created');
  for (const month of await findExpiredMonths(db, retentionDays)) {
    const givenUp = await dropMonth(db, month);
    if (givenUp !== null)
      log[givenUp > 0 ? 'warn' : 'info']({ month, given_up: givenUp }, 'history month dropped');
  }
}

/**
 * Deletes expired rows from the default partition before makeMonths runs. Otherwise makeMonths would create partitions for these rows, and
 * keepHistory would drop the partitions at once.
 * @returns true when no expired row is left; false when the next round must continue, or another process is deleting the rows
 */
async function expireOldStranded(db: Db, log: Logger, retentionDays: number): Promise<boolean> {
  let [deleted, givenUp] = [0, 0];
  let isDone = false;
  for (let batch = 0; batch < BATCHES_A_ROUND && !isDone; batch++) {
    const expired = await expireStranded(db, retentionDays);
    if (!expired) break;
    isDone = expired.deleted === 0;
    deleted += expired.deleted;
    givenUp += expired.givenUp;
  }
  if (deleted > 0)
    log[givenUp > 0 ? 'warn' : 'info'](
      { deleted, given_up: givenUp },
      'history rows without a month deleted',
    );
  return isDone;
}

/** Limits the wait for the lock on a partition, because bookings wait behind that lock. After a timeout the next round tries again. */
const LOCK_TIMEOUT = '100ms';

/**
 * Maximum number of rows of one month that are moved out of the default partition. If a month has more rows, they stay in the default
 * partition, because a move would block bookings for too long.
 */
const MOVE_LIMIT = 10_000;
const DELETE_LIMIT = 5000;
const TABLES = ['webhook_events', 'webhook_deliveries', 'webhook_attempts', 'webhook_pulse'];

/**
 * Creates the missing partitions of the current month, of the months to come, and of the months of rows in the default partition, oldest
 * first. Creates the partition of each table in a transaction of its own, so that only one table is locked at a time.
 * @returns the first day of each created month, as `YYYY-MM-DD`
 */
export async function makeMonths(db: Db, ahead: number): Promise<string[]> {
  const made = new Set<string>();
  for (const month of await findMonthsToMake(db, ahead))
    for (const table of TABLES) if (await makeMonthOf(db, table, month)) made.add(month);
  return [...made];
}

async function makeMonthOf(db: Db, table: string, month: string): Promise<boolean> {
  return withHistoryLock(db, false, async (trx) => {
    const { rows } = await trx.raw<{ rows: [{ made: boolean }] }>(
      'select webhook_make_month_of(:table, :month::date) as made',
      { table, month },
    );
    return rows[0].made;
  });
}

async function findMonthsToMake(db: Db, ahead: number): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { month: string }[] }>(
    `with stranded as (
       select month, max(stranded) as most from webhook_stranded_months(:movedAtOnce::integer) group by month
     )
     select month from (
       select (date_trunc('month', now() at time zone 'UTC') + make_interval(months => n))::date as month
       from generate_series(0, :ahead::integer) as n
       union select month from stranded
     ) m left join stranded s using (month)
     where coalesce(s.most, 0) <= :movedAtOnce::integer order by month`,
    { ahead, movedAtOnce: MOVE_LIMIT },
  );
  return rows.map(({ month }) => month);
}

interface ExpiredRows {
  /** Number of deleted rows. A batch deletes rows of one table only, at most 5,000. 0 when no expired row is left. */
  deleted: number;
  /** Number of deleted deliveries that still waited to be sent. */
  givenUp: number;
}

/**
 * Deletes a batch of stranded rows whose month is older than the retention time.
 * @returns null when another process holds the lock
 */
export async function expireStranded(db: Db, retentionDays: number): Promise<ExpiredRows | null> {
  return withHistoryLock(db, null, async (trx) => {
    const { rows } = await trx.raw<{ rows: [ExpiredRows] }>(
      `select e.deleted, e.given_up from webhook_expire_stranded(
         date_trunc('month', (now() - make_interval(days => :retentionDays::integer)) at time zone 'UTC') at time zone 'UTC',
         :atMost::integer
       ) e`,
      { retentionDays, atMost: DELETE_LIMIT },
    );
    return rows[0];
  });
}

/** Finds months whose last day is older than the retention time, oldest first. */
export async function findExpiredMonths(db: Db, retentionDays: number): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { month: string }[] }>(
    `select m.month from (
       select distinct to_date(right(c.relname, 7), 'YYYY_MM') as month
       from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = any (:parents::text[]::regclass[]) and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
     ) m
     where (m.month + interval '1 month') at time zone 'UTC' <= now() - make_interval(days => :retentionDays::integer)
     order by m.month`,
    { retentionDays, parents: TABLES },
  );
  return rows.map(({ month }) => month);
}

/**
 * Deletes removed endpoints that have no delivery: at most 1,000. See webhook_delete_removed_endpoints (0129_octo_subscriptions.sql).
 * @returns the number of deleted endpoints
 */
export async function deleteRemovedEndpoints(db: Db, retentionDays: number): Promise<number> {
  return withHistoryLock(db, 0, async (trx) => {
    const { rows } = await trx.raw<{ rows: [{ deleted: number }] }>(
      `select webhook_delete_removed_endpoints(
         date_trunc('month', (now() - make_interval(days => :retentionDays::integer)) at time zone 'UTC') at time zone 'UTC'
       ) as deleted`,
      { retentionDays },
    );
    return rows[0].deleted;
  });
}

/**
 * Drops the partitions of a month.
 * @returns the number of dropped deliveries that still waited to be sent; null when another process holds the lock
 */
export async function dropMonth(db: Db, month: string): Promise<number | null> {
  return withHistoryLock(db, null, async (trx) => {
    const { rows } = await trx.raw<{ rows: [{ givenUp: number }] }>(
      'select webhook_drop_month(:month::date) as given_up',
      { month },
    );
    return rows[0].givenUp;
  });
}

async function withHistoryLock<T>(db: Db, otherwise: T, work: (trx: Trx) => Promise<T>): Promise<T> {
  return inTransaction(db, async (trx) => {
    await trx.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    const { rows } = await trx.raw<{ rows: [{ mine: boolean }] }>(
      `select pg_try_advisory_xact_lock(hashtext('webhook history')) as mine`,
    );
    return rows[0].mine ? work(trx) : otherwise;
  });
}
