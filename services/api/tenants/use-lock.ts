import { runPrepared, type Trx } from '../../platform/database';

/** SQL of the advisory lock of the id `u.id`. The seed 8 separates it from other uses of advisory locks. */
const LOCK_OF_ID = 'hashtextextended(u.id, 8)';

/**
 * Locks the ids `:useIds` for the use of this transaction, as lockForUse does, and selects the ids that it locked. Does not wait: skips an
 * id that another transaction is changing.
 */
export const TRY_LOCK_FOR_USE = `select u.id from unnest(:useIds::text[]) as u (id) where pg_try_advisory_xact_lock_shared(${LOCK_OF_ID})`;

/**
 * Locks the ids of tenants and API keys until this transaction ends, so that no other transaction changes these tenants or keys. Waits for
 * transactions that change these tenants or keys. Transactions that only use these tenants or keys share the lock. Advisory locks are
 * granted in order of request, so that continuous uses do not delay a change: with row locks, two processes that sold without a pause
 * delayed a revocation by 10 s. Read the rows in a later statement.
 */
export async function lockForUse(trx: Trx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await runPrepared(
    trx,
    `select u.id from unnest(:useIds::text[]) as u (id), lateral pg_advisory_xact_lock_shared(${LOCK_OF_ID})`,
    { useIds: ids },
  );
}

/**
 * Locks the id of a tenant or an API key for a change. Waits for the transactions that use the id. No other transaction can use the id
 * until this transaction ends.
 */
export async function lockForChange(trx: Trx, id: string): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(${LOCK_OF_ID}) from (values (:id::text)) as u (id)`, { id });
}
