import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, runPrepared, type Trx } from '../../platform/database/database';

/*
 * Each write locks the ids of its API key and its tenant for use until COMMIT, and then checks them (lockKeyForUse, lockChanges). A command
 * that ends a key or a tenant commits first and then waits for the uses (awaitUses). So a write either locks before the command waits, and
 * the command waits for its COMMIT, or it locks later, and its check sees that the key or the tenant has ended (ADR 43).
 */

/** SQL of the advisory lock of the id `u.id`. The seed 8 separates it from other uses of advisory locks. */
const LOCK_OF_ID = 'hashtextextended(u.id, 8)';

/**
 * Locks the ids `:useIds` for the use of this transaction, as lockForUse does, and selects the ids that it locked. Does not wait: skips an
 * id that another transaction is changing.
 */
export const TRY_LOCK_FOR_USE = `select u.id from unnest(:useIds::text[]) as u (id) where pg_try_advisory_xact_lock_shared(${LOCK_OF_ID})`;

/**
 * Locks the ids of tenants and API keys for use until this transaction ends. Waits for transactions that change these tenants.
 * Transactions that only use these tenants or keys share the lock. Advisory locks are granted in order of request, so that continuous uses
 * do not delay a change: with row locks, two processes that sold without a pause delayed a change by 10 s. Read the rows in a later
 * statement: the snapshot of this one is older than the locks.
 */
export async function lockForUse(trx: Trx, ids: string[]): Promise<void> {
  await runPrepared(
    trx,
    `select u.id from unnest(:useIds::text[]) as u (id), lateral pg_advisory_xact_lock_shared(${LOCK_OF_ID})`,
    { useIds: ids },
  );
}

/**
 * Locks the id of a tenant for a change. Waits for the transactions that use the id. No other transaction can use the id until this
 * transaction ends.
 */
export async function lockForChange(trx: Trx, id: string): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(${LOCK_OF_ID}) from (values (:id::text)) as u (id)`, { id });
}

const POLL_MS = 25;

/** Limits the wait for uses. */
export interface WaitForUses {
  /** Milliseconds. */
  atMostMs: number;
  /** Ends the wait. */
  signal?: AbortSignal;
}

/**
 * Waits until no transaction uses the id of a key or a tenant. Call it after the COMMIT that ends the key or the tenant, outside a
 * transaction. Tries the lock again and again, because a wait in the queue of the lock would delay later requests, which must be refused at
 * once.
 * @returns false if a transaction still uses the id when the wait ends
 */
export async function awaitUses(db: Db, id: string, { atMostMs, signal }: WaitForUses): Promise<boolean> {
  const until = performance.now() + atMostMs;
  while (!(await isUnused(db, id))) {
    if (performance.now() >= until || signal?.aborted) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/** Takes the lock for a change, which ends with this statement because the statement has no transaction around it. */
async function isUnused(db: Db, id: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: [{ unused: boolean }] }>(
    `select pg_try_advisory_xact_lock(${LOCK_OF_ID}) as unused from (values (:id::text)) as u (id)`,
    { id },
  );
  return rows[0].unused;
}
