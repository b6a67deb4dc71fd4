import { runPrepared, type Trx } from '../../platform/database';

/** The advisory lock of an id `u`. The seed keeps it apart from other uses of advisory locks. */
const LOCK_OF_ID = 'hashtextextended(u.id, 8)';

/** Locks those of `:useIds` that no other transaction is changing, for the use of this one (see lockForUse), and returns them as `id`. */
export const TRY_LOCK_FOR_USE = `select u.id from unnest(:useIds::text[]) as u (id) where pg_try_advisory_xact_lock_shared(${LOCK_OF_ID})`;

/**
 * Waits until the ids of tenants and API keys are locked for the use of this transaction, shared with other uses. An advisory lock is
 * granted in order, so that continuous uses do not delay a change: with row locks, two processes that sold without a pause delayed a
 * revocation by 10 s. Read the rows in a later statement.
 */
export async function lockForUse(trx: Trx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await runPrepared(
    trx,
    `select u.id from unnest(:useIds::text[]) as u (id), lateral pg_advisory_xact_lock_shared(${LOCK_OF_ID})`,
    { useIds: ids },
  );
}

/** Waits for the transactions that use the id, and keeps others from it until this transaction ends. */
export async function lockForChange(trx: Trx, id: string): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(${LOCK_OF_ID}) from (values (:id::text)) as u (id)`, { id });
}
