import type { Trx } from './database';

/** Returns lock_timeout in milliseconds; 0: no limit. */
export async function readLockTimeout(trx: Trx): Promise<number> {
  const { rows } = await trx.raw<{ rows: [{ timeout: number }] }>(
    "select setting::int as timeout from pg_settings where name = 'lock_timeout'",
  );
  return rows[0].timeout;
}

/**
 * Limits the whole wait for a row to `waitMs`, by default lock_timeout, by means of statement_timeout. PostgreSQL waits for two locks per
 * row and applies lock_timeout to each: with 2 s, a waiter behind other waiters gave up after 4 s (observed).
 */
export async function waitAtMostLockTimeout<T>(
  trx: Trx,
  lock: () => PromiseLike<T>,
  waitMs?: number,
): Promise<T> {
  const { rows } = await trx.raw<{ rows: [{ statementTimeout: string }] }>(
    `with setting as materialized (select current_setting('statement_timeout') as statement_timeout)
     select statement_timeout, set_config('statement_timeout', coalesce(?, current_setting('lock_timeout')), true) from setting`,
    [waitMs === undefined ? null : String(waitMs)],
  );
  const locked = await lock();
  await trx.raw("select set_config('statement_timeout', ?, true)", [rows[0].statementTimeout]);
  return locked;
}
