import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction, isRolledBack, type Trx } from '../../platform/database';
import { ReplayedResponse } from '../idempotency/run-idempotent';
import type { Logger } from '../../platform/logger';
import { findCommitted } from './committed-sales.repository';
import { measureTransaction } from './sale-metrics';
import type { Sale } from './sale';
import { salesOf, type WaitingSale } from './waiting-sale';
import type { Outcome, WrittenSales } from './grant-sales';

/** The end of a transaction of sales. Without `rolledBack`, an error leaves the outcome unknown. */
export type CommitResult = { committed: Outcome[] } | { error: unknown; rolledBack: boolean };

export type WriteBatch = (trx: Trx, sales: Sale[]) => Promise<WrittenSales>;

/** Time for a lost COMMIT to end, or for another server to take over. */
const READ_BACK_MS = 2_000;
const PAUSE_MS = 50;

/** Commits sales of the queue, measures their transaction, and logs a failed one. @param work may add sales to the batch */
export async function commitBatch(
  { db, log }: { db: Db; log: Logger },
  batch: WaitingSale[],
  work: WriteBatch,
  lockBy: number,
): Promise<CommitResult> {
  const begun = performance.now();
  const result = await commitSales(db, (trx) => work(trx, salesOf(batch)), lockBy);
  const outcome = 'committed' in result ? 'committed' : result.rolledBack ? 'rolled_back' : 'unknown';
  measureTransaction(
    outcome,
    batch.map(({ arrivedAt }) => Math.max(0, begun - arrivedAt)),
  );
  // A single sale is not logged: its answer has the error.
  if ('error' in result && batch.length > 1)
    log.warn({ err: result.error, sales: batch.length, outcome }, 'transaction of sales failed');
  return result;
}

/**
 * Plans the statements of a sale once for all parameters, and by indexes: planning took a third of PostgreSQL's time, and a plan
 * that was made while a table was small went on reading all of it.
 */
export const SALE_PLANS = 'set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off';

/**
 * Runs `work` in one transaction. When the connection is lost between COMMIT and its answer, reads the outcome back.
 * @param lockBy ends the wait for a lock, by performance.now()
 */
export async function commitSales(
  db: Db,
  work: (trx: Trx) => Promise<WrittenSales>,
  lockBy: number,
): Promise<CommitResult> {
  let written: WrittenSales | undefined;
  try {
    await inTransaction(
      db,
      async (trx) => {
        written = undefined;
        written = await work(trx);
      },
      { lockBy, settings: SALE_PLANS },
    );
    return { committed: written!.outcomes };
  } catch (error) {
    // Without `written`, COMMIT was not sent.
    if (!written || isRolledBack(error)) return { error, rolledBack: true };
    const committed = await readBack(db, written);
    return committed ? { committed: written.outcomes } : { error, rolledBack: committed === false };
  }
}

/** Returns whether the transaction was committed; undefined: unknown. */
async function readBack(db: Db, { transactionId, outcomes }: WrittenSales): Promise<boolean | undefined> {
  // The sales can run again, because none was granted. That locks an earlier answer again, and COMMIT waits for the standby.
  if (transactionId === null) return false;
  const sold = outcomes.flatMap((one) =>
    one.kind === 'sold' && !(one.sold instanceof ReplayedResponse) ? [one.sold] : [],
  );
  const holdIds = sold.flatMap((one) => ('bookingRef' in one ? [] : [one.id]));
  const leadIds = sold.flatMap((one) => ('bookingRef' in one ? [one.id] : []));
  for (const until = performance.now() + READ_BACK_MS; performance.now() < until; await sleep(PAUSE_MS)) {
    const found = await findCommitted(db, transactionId, holdIds, leadIds).catch(() => undefined);
    // After a failover another transaction may have the id, so the rows decide too.
    if (found?.status === 'committed' && found.rows === sold.length) return true;
    if (found?.status === 'aborted' && found.rows === 0) return false;
  }
  return undefined;
}
