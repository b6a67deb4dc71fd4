import { type Db, inTransaction } from '../../platform/database/database';
import { endExpiredSessions } from '../../platform/people/people.repository';
import type { Logger } from '../../platform/logger';
import { deleteRemovedEndpoints, keepHistory } from './history-retention';
import type { DeliveryStats } from '../stats/delivery-stats';
import {
  deleteSilentWorkers,
  deleteWorker,
  HEARTBEAT_SECONDS,
  upsertWorker,
} from './worker-heartbeat.repository';
import { adoptWaiting, cancelWaiting, findOrphans } from '../deliveries/queue.repository';

interface PeriodicTaskOptions {
  db: Db;
  log: Logger;
  worker: string;
  slots: number;
  retentionDays: number;
  reconcileMs: number;
  stats: DeliveryStats;
  /** Number of requests in flight now. */
  inFlight: () => number;
}

const HEARTBEAT_MS = HEARTBEAT_SECONDS * 1000;
const MINUTE_MS = 60_000;
/** The sessions of a person end within a minute after the end of the login. */
const PEOPLE_MS = 30_000;

/** Starts the periodic tasks of a worker. Each task runs independently. A failed run is logged, and the task runs again. */
export function startPeriodicTasks(options: PeriodicTaskOptions): { stop(): Promise<void> } {
  const { db, log, worker: id, slots, retentionDays, reconcileMs, stats, inFlight } = options;
  const every = (name: string, ms: number, work: () => Promise<unknown>) => repeat(log, name, ms, work);
  const tasks = [
    every('orphans', reconcileMs, () => reconcileOrphans(db)),
    every('stats', HEARTBEAT_MS, () => stats.flush()),
    every('heartbeat', HEARTBEAT_MS, () => upsertWorker(db, { id, slots, inFlight: inFlight() })),
    every('history', MINUTE_MS, () => keepHistory(db, log, retentionDays)),
    every('removed endpoints', MINUTE_MS, () => deleteRemovedEndpoints(db, retentionDays)),
    every('people', PEOPLE_MS, () => endExpiredSessions(db)),
    every('workers', MINUTE_MS, () => deleteSilentWorkers(db)),
  ];
  return {
    async stop() {
      await Promise.all(tasks.map((task) => task.stop()));
      await Promise.all([stats.flush(), deleteWorker(db, id)]).catch((error: unknown) => {
        log.error({ err: error }, 'worker deregistration failed');
      });
    },
  };
}

/** Runs the work now, and again `ms` after each run has ended. */
function repeat(log: Logger, task: string, ms: number, work: () => Promise<unknown>) {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const run = async (): Promise<void> => {
    await work().catch((error: unknown) => log.error({ err: error, task }, 'periodic task failed'));
    if (!stopped) timer = setTimeout(() => void (running = run()), ms);
  };
  let running = run();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/**
 * Adopts deliveries that wait without an endpoint, and cancels deliveries of removed endpoints. Such deliveries remain in two cases. A
 * booking and a change of endpoints committed without seeing each other, or a command handled only the first 10,000 deliveries.
 * @returns the number of deliveries
 */
export async function reconcileOrphans(db: Db): Promise<number> {
  const { toAdopt, toCancel } = await findOrphans(db);
  let reconciled = 0;
  for (const endpointId of toAdopt)
    reconciled += await inTransaction(db, (trx) => adoptWaiting(trx, endpointId));
  for (const endpointId of toCancel)
    reconciled += await inTransaction(db, (trx) => cancelWaiting(trx, endpointId));
  return reconciled;
}
