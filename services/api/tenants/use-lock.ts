import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, runPrepared, type Trx } from '../../platform/database/database';

/*
 * Each write locks the ids of its API key and its tenant for use until COMMIT, and then checks them and what the tenant sees (lockKeyForUse,
 * lockChanges). A command that ends a key, a tenant or the visibility of a tour commits first and then waits for the uses (awaitUses). So a
 * write either locks before the command waits, and the command waits for its COMMIT, or it locks later, and its check sees the end (ADR 43).
 */

/** SQL of the advisory lock of the id `u.id`. The seed 8 separates it from other uses of advisory locks. */
const LOCK_OF_ID = 'hashtextextended(u.id, 8)';

/**
 * Locks the ids `:useIds` for the use of this transaction, as lockForUse does, and selects the ids that it locked. Does not wait: skips an
 * id that another transaction is changing.
 */
export const TRY_LOCK_FOR_USE = `select u.id from unnest(:useIds::text[]) as u (id) where pg_try_advisory_xact_lock_shared(${LOCK_OF_ID})`;

/**
 * Locks the ids of tenants and API keys for use until this transaction ends. Transactions that use these tenants or keys share the lock, and
 * no command takes it exclusively, but one of the last release, for which this waits. Read the rows in a later statement: the snapshot of this
 * one is older than the locks.
 */
export async function lockForUse(trx: Trx, ids: string[]): Promise<void> {
  await runPrepared(
    trx,
    `select u.id from unnest(:useIds::text[]) as u (id), lateral pg_advisory_xact_lock_shared(${LOCK_OF_ID})`,
    { useIds: ids },
  );
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
 * Waits until the transactions that use the id of a key or a tenant now have ended. Call it after the COMMIT that ends the key, the tenant or
 * a part of what the tenant may do, outside a transaction. Transactions that begin to use the id later are not waited for: they read what
 * was committed. So a tenant that sells without a pause does not make the wait longer. Takes no lock, because a wait in the queue of the lock
 * would delay later requests.
 * @returns false if one of the transactions still runs when the wait ends
 * @rule a revocation waits for the writes in flight: test/api/writes-in-flight.long.test.ts
 */
export async function awaitUses(db: Db, id: string, { atMostMs, signal }: WaitForUses): Promise<boolean> {
  const until = performance.now() + atMostMs;
  let left = await findUses(db, id);
  while (left.length > 0) {
    if (performance.now() >= until || signal?.aborted) return false;
    await sleep(POLL_MS);
    const running = new Set(await findUses(db, id));
    left = left.filter((use) => running.has(use));
  }
  return true;
}

/** Returns names of the transactions that have locked the id for use. No other transaction of the server ever has the same name. */
async function findUses(db: Db, id: string): Promise<string[]> {
  // pg_locks splits the number of an advisory lock into two halves.
  const { rows } = await db.raw<{ rows: { use: string }[] }>(
    `select l.pid || ' ' || l.virtualtransaction as use
     from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database(),
       (select ${LOCK_OF_ID} as number from (values (:id::text)) as u (id)) as wanted
     where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
       and l.classid = (wanted.number >> 32 & 4294967295)::oid and l.objid = (wanted.number & 4294967295)::oid`,
    { id },
  );
  return rows.map(({ use }) => use);
}
