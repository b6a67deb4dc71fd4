import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Histogram } from 'prom-client';
import { type Db, inTransaction, isRolledBack, type Trx } from '../../../platform/database/database';
import { sqlState } from '../../../platform/errors';
import type { Logger } from '../../../platform/logger';
import { inSpan, linkSpan } from '../../../platform/traces';
import type { SeatChange } from '../seat-change';
import type { WrittenChanges } from '../transact-changes';
import { countRows, type WrittenRows } from '../write';

/** The result of a transaction. With an error and `rolledBack` false, it is unknown whether the changes were committed. */
export type CommitResult = { committed: WrittenChanges } | { error: unknown; rolledBack: boolean };

/**
 * The time for which the outcome of an unanswered COMMIT is read from the database. Meanwhile, the COMMIT may still run, or another server
 * must take over.
 */
const READ_BACK_MS = 2_000;
const PAUSE_MS = 50;

const waitSeconds = new Histogram({
  name: 'sale_wait_seconds',
  help: 'Time from the arrival of a hold, a booking or its change to the start of the transaction that writes it; at most 2 s',
  buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2],
});

const transactions = new Counter({
  name: 'sale_transactions_total',
  help: 'Transactions that write holds, bookings and their changes, by outcome: committed; rolled_back, written again one by one; unknown',
  labelNames: ['outcome'] as const,
});

const transactionChanges = new Histogram({
  name: 'sale_transaction_sales',
  help: 'Holds and bookings of one transaction; a change is alone',
  buckets: [1, 2, 4, 8, 16, 32, 64, 128],
});

/**
 * Lets PostgreSQL plan each statement of a change once for all parameters, because planning took a third of its time. Avoids plans that read
 * whole tables: a plan that was made while a table was small would stay in use when the table has grown.
 */
export const CHANGE_PLANS = 'set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off';

/** SQLSTATEs with which the server refuses every write: read-only, missing rights or another schema (class 42), and a full disk. */
const REFUSES_EVERY_WRITE = /^(25006|42|53100)/;

/**
 * Returns true if each change would fail with the same error. Written one by one, they would take the two seconds of those behind them, which
 * would then get `departure_busy` for a full disk.
 * @rule which errors of the database meet every write: test/chaos/full-database-disk.long.test.ts
 */
export function refusesEveryWrite(error: unknown): boolean {
  return REFUSES_EVERY_WRITE.test(sqlState(error) ?? '');
}

interface CommitServices {
  db: Db;
  log: Logger;
}

interface BatchedChange {
  arrivedAt: number;
  change: Pick<SeatChange, 'traceparent'>;
}

/**
 * Runs `work` in one transaction and measures it. Logs a failure only if the batch has several changes: the caller of a single one gets the
 * error. If the connection is lost between COMMIT and its answer, reads from the database whether the transaction was committed.
 * In a trace, the span of one change belongs to its request; the span of several changes begins a trace, with a link to each request.
 * @param batch the changes; `work` may add some
 * @param lockBy the time, on the clock of performance.now(), at which the wait for a lock ends
 */
export async function commitChanges(
  services: CommitServices,
  batch: BatchedChange[],
  work: (trx: Trx) => Promise<WrittenChanges>,
  lockBy: number,
): Promise<CommitResult> {
  const parent = batch.length === 1 ? batch[0]!.change.traceparent : null;
  return inSpan('write sales', parent, async (span) => {
    const result = await commitInTransaction(services, batch, work, lockBy);
    if (batch.length > 1)
      linkSpan(
        span,
        batch.map(({ change }) => change.traceparent),
      );
    span.setAttribute('sales.count', batch.length);
    return result;
  });
}

async function commitInTransaction(
  { db, log }: CommitServices,
  batch: BatchedChange[],
  work: (trx: Trx) => Promise<WrittenChanges>,
  lockBy: number,
): Promise<CommitResult> {
  const begun = performance.now();
  let written: WrittenChanges | undefined;
  const inOrder = async (trx: Trx) => {
    written = undefined;
    written = await work(trx);
  };
  try {
    await inTransaction(db, inOrder, { lockBy, settings: CHANGE_PLANS });
    measure(batch, begun, 'committed');
    return { committed: written! };
  } catch (error) {
    // COMMIT was sent only if `written` is set.
    const committed = !written || isRolledBack(error) ? false : await readBack(db, written);
    const outcome = outcomeOf(committed);
    measure(batch, begun, outcome);
    if (committed) return { committed: written! };
    // The caller of a single change gets this error, so it is not logged.
    if (batch.length > 1)
      log.warn({ err: error, sales: batch.length, outcome }, 'transaction of sales failed');
    return { error, rolledBack: committed === false };
  }
}

type TransactionOutcome = 'committed' | 'rolled_back' | 'unknown';

function outcomeOf(committed: boolean | undefined): TransactionOutcome {
  if (committed === undefined) return 'unknown';
  return committed ? 'committed' : 'rolled_back';
}

function measure(batch: { arrivedAt: number }[], begun: number, outcome: TransactionOutcome): void {
  transactions.inc({ outcome });
  transactionChanges.observe(batch.length);
  for (const { arrivedAt } of batch) waitSeconds.observe(Math.max(0, begun - arrivedAt) / 1000);
}

/** Returns whether the transaction was committed; undefined: unknown. */
async function readBack(db: Db, { transactionId, rows }: WrittenChanges): Promise<boolean | undefined> {
  // The transaction has written no row, so all its changes can run again. When they run, they lock the stored answers again, so that COMMIT
  // waits until the standby has these answers.
  if (transactionId === null) return false;
  const written = countRows(rows);
  for (const until = performance.now() + READ_BACK_MS; performance.now() < until; await sleep(PAUSE_MS)) {
    const found = await findCommitted(db, transactionId, rows).catch(() => undefined);
    // Compares the number of rows too: after a failover, another transaction may have the same id.
    if (found?.status === 'committed' && found.rows === written) return true;
    if (found?.status === 'aborted' && found.rows === 0) return false;
  }
  return undefined;
}

interface FoundTransaction {
  status: 'in progress' | 'committed' | 'aborted' | null;
  rows: number;
}

/**
 * Returns the status of a transaction, and how many of its holds and leads it has written. Locks the rows, so that this read also waits
 * until the standby has them.
 */
async function findCommitted(db: Db, transactionId: string, written: WrittenRows): Promise<FoundTransaction> {
  const { rows } = await db.raw<{ rows: [FoundTransaction] }>(
    `with new_holds as (select id from seat_holds where id = any(:newHolds::uuid[]) for key share),
       new_leads as (select id from booking_leads where id = any(:newLeads::bigint[]) for key share),
       -- xmin is the transaction that wrote the present version of the row.
       changed_holds as (select id from seat_holds
         where id = any(:changedHolds::uuid[]) and xmin = :transactionId::xid8::xid for key share),
       changed_leads as (select id from booking_leads
         where id = any(:changedLeads::bigint[]) and xmin = :transactionId::xid8::xid for key share)
     select pg_xact_status(:transactionId::xid8) as "status",
       ((select count(*) from new_holds) + (select count(*) from new_leads)
         + (select count(*) from changed_holds) + (select count(*) from changed_leads))::integer as "rows"`,
    { transactionId, ...written },
  );
  return rows[0];
}
