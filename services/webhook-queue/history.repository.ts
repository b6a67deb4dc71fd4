import type { Db } from '../platform/database';
import { inTransaction } from '../platform/database';

export interface HistoryChange {
  /** First days of months, `YYYY-MM-DD`. */
  made: string[];
  dropped: string[];
  /** Deliveries that still waited in a dropped month. */
  givenUp: number;
}

/**
 * Makes the months to come and drops those that lie behind retention as a whole. One process at a time; null where
 * another is at it.
 */
export async function turnMonths(
  db: Db,
  retentionDays: number,
  monthsAhead: number,
): Promise<HistoryChange | null> {
  return inTransaction(db, async (trx) => {
    const { rows: lock } = await trx.raw<{ rows: [{ mine: boolean }] }>(
      `select pg_try_advisory_xact_lock(hashtext('webhook history')) as mine`,
    );
    if (!lock[0].mine) return null;
    const { rows: made } = await trx.raw<{ rows: { month: string }[] }>(
      `select month from (
         select (date_trunc('month', now() at time zone 'UTC') + make_interval(months => n))::date as month
         from generate_series(0, :monthsAhead::integer) as n
       ) m where webhook_make_month(month)`,
      { monthsAhead },
    );
    const { rows: dropped } = await trx.raw<{ rows: { month: string; given_up: number }[] }>(
      `select m.month, webhook_drop_month(m.month) as given_up from (
         select to_date(right(c.relname, 7), 'YYYY_MM') as month
         from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'webhook_events'::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
       ) m
       where (m.month + interval '1 month') at time zone 'UTC' <= now() - make_interval(days => :retentionDays::integer)
       order by m.month`,
      { retentionDays },
    );
    return {
      made: made.map(({ month }) => month),
      dropped: dropped.map(({ month }) => month),
      givenUp: dropped.reduce((sum, { given_up }) => sum + given_up, 0),
    };
  });
}
