import { inTransaction, type Db, type Trx } from '../../platform/database';

/** A booking waits no longer than this for the lock that a month needs; without it the month waits for the next time. */
const LOCK_TIMEOUT = '100ms';

/** Months that were missing, of this one and of those to come, as `YYYY-MM-DD` of their first day. */
export async function makeMonths(db: Db, ahead: number): Promise<string[]> {
  return whileNobodyElse(db, [], async (trx) => {
    const { rows } = await trx.raw<{ rows: { month: string }[] }>(
      `select month from (
         select (date_trunc('month', now() at time zone 'UTC') + make_interval(months => n))::date as month
         from generate_series(0, :ahead::integer) as n
       ) m where webhook_make_month(month)`,
      { ahead },
    );
    return rows.map(({ month }) => month);
  });
}

/** Months whose last day is older than retention, the oldest first. */
export async function findMonthsBehind(db: Db, retentionDays: number): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { month: string }[] }>(
    `select m.month from (
       select to_date(right(c.relname, 7), 'YYYY_MM') as month
       from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'webhook_events'::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
     ) m
     where (m.month + interval '1 month') at time zone 'UTC' <= now() - make_interval(days => :retentionDays::integer)
     order by m.month`,
    { retentionDays },
  );
  return rows.map(({ month }) => month);
}

/** @returns how many deliveries still waited in it; null where another process is at it */
export async function dropMonth(db: Db, month: string): Promise<number | null> {
  return whileNobodyElse(db, null, async (trx) => {
    const { rows } = await trx.raw<{ rows: [{ given_up: number }] }>(
      'select webhook_drop_month(:month::date) as given_up',
      { month },
    );
    return rows[0].given_up;
  });
}

async function whileNobodyElse<T>(db: Db, otherwise: T, work: (trx: Trx) => Promise<T>): Promise<T> {
  return inTransaction(db, async (trx) => {
    await trx.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    const { rows } = await trx.raw<{ rows: [{ mine: boolean }] }>(
      `select pg_try_advisory_xact_lock(hashtext('webhook history')) as mine`,
    );
    return rows[0].mine ? work(trx) : otherwise;
  });
}
