import type { Trx } from '../../platform/database';

/**
 * Locks one departure, and returns whether it still exists.
 * @param waitMs by default lock_timeout
 */
export async function lockDepartureById(trx: Trx, id: string, waitMs?: number): Promise<boolean> {
  const lock = () => trx('departures').select('id').where({ id }).forUpdate();
  return (await waitAtMostLockTimeout(trx, lock, waitMs)).length > 0;
}

/** Locks those of the departures that no other transaction has locked, and waits for none. Returns their ids. */
export async function lockFreeDeparturesById(trx: Trx, ids: string[]): Promise<string[]> {
  return trx('departures').whereIn('id', ids).orderBy('id').forUpdate().skipLocked().pluck<string[]>('id');
}

/** Returns lock_timeout in milliseconds; 0: no limit. */
export async function readLockTimeout(trx: Trx): Promise<number> {
  const { rows } = await trx.raw(
    "select setting::int as timeout from pg_settings where name = 'lock_timeout'",
  );
  return rows[0].timeout;
}

/**
 * Limits the whole wait for a row to lock_timeout. PostgreSQL waits for two locks per row and applies lock_timeout to each, so
 * a waiter behind others gave up after 4 s (seen).
 */
async function waitAtMostLockTimeout<T>(trx: Trx, lock: () => PromiseLike<T>, waitMs?: number): Promise<T> {
  const { rows } = await trx.raw(
    `with setting as materialized (select current_setting('statement_timeout') as statement_timeout)
     select statement_timeout, set_config('statement_timeout', coalesce(?, current_setting('lock_timeout')), true) from setting`,
    [waitMs === undefined ? null : String(waitMs)],
  );
  const locked = await lock();
  await trx.raw("select set_config('statement_timeout', ?, true)", [rows[0].statementTimeout]);
  return locked;
}
