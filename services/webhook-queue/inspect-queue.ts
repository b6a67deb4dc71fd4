import type { Db } from '../platform/database/database';
import { uuidsBeginningWith } from '../platform/forms/text-forms';
import { type FailingEndpoint, findFailingEndpoints } from './endpoints/endpoint.repository';
import { findWorkers } from './maintenance/worker-heartbeat.repository';
import { countDeadSince, findQueueCounts } from './stats/queue-counts.repository';

/** State of the queue by the database's clock. */
export interface QueueHealth {
  /** Deliveries that a worker could claim now. */
  due: number;
  oldestDueSeconds: number;
  /** Due deliveries whose endpoint is paused, disabled or blocked by its breaker. */
  held: number;
  /** Deliveries that wait without an endpoint. */
  waiting: number;
  retrying: number;
  dead: number;
  /** Endpoints that fail or are disabled. */
  failing: FailingEndpoint[];
  workers: number;
  /** Workers whose last heartbeat is older than three intervals. The row of a worker is deleted after a day. */
  silent: { id: string; beatAt: Date }[];
}

/** Statements that read the ids that begin with $1, for completion in a shell. */
export const COMPLETED_IDS = {
  endpoint: `select id::text as name from webhook_endpoints where status <> 'removed' and starts_with(id::text, $1)
    order by id desc limit 100`,
  delivery: `select name from (select id::text as name from webhook_deliveries order by id desc limit 1000) d
    where starts_with(name, $1) limit 100`,
};

/**
 * Returns the ids that begin with the text, at most `limit`, by a scan of the primary key. Leaves out removed endpoints.
 * @param start a valid beginning of a UUID, in lower case
 */
export async function findQueueIdsBeginningWith(
  db: Db,
  kind: keyof typeof COMPLETED_IDS,
  start: string,
  limit: number,
): Promise<string[]> {
  const range = uuidsBeginningWith(start);
  if (!range) return [];
  const table = kind === 'endpoint' ? 'webhook_endpoints' : 'webhook_deliveries';
  const query = db(table).whereBetween('id', range).orderBy('id').limit(limit);
  if (kind === 'endpoint') void query.whereNot('status', 'removed');
  return query.pluck<string[]>('id');
}

/** Returns whether any worker is alive. Without one, nothing is sent. */
export async function isQueueRunning(db: Db): Promise<boolean> {
  return (await findWorkers(db)).some(({ alive }) => alive);
}

/** Maximum number of failing endpoints that `tourctl status` names (FAILING_NAMED) and that doctor counts (FAILING_CHECKED). */
const FAILING_NAMED = 10;
const FAILING_CHECKED = 1000;

/**
 * Reads the queue for `tourctl status`.
 * @param today the start of the day: `deadToday` counts the deliveries that became dead at this time or later
 */
export async function readQueueStatus(db: Db, today: Date) {
  return {
    counts: await findQueueCounts(db),
    workers: await findWorkers(db),
    failing: await findFailingEndpoints(db, FAILING_NAMED),
    deadToday: await countDeadSince(db, today),
  };
}

/** Reads the state of the queue for `tourctl doctor`. */
export async function inspectQueue(db: Db): Promise<QueueHealth> {
  const { now, oldestDue, due, held, waiting, retrying, dead } = await findQueueCounts(db);
  const workers = await findWorkers(db);
  return {
    due,
    oldestDueSeconds: oldestDue ? Math.max(0, Math.round((now.getTime() - oldestDue.getTime()) / 1000)) : 0,
    held,
    waiting,
    retrying,
    dead,
    failing: await findFailingEndpoints(db, FAILING_CHECKED),
    workers: workers.filter(({ alive }) => alive).length,
    silent: workers.filter(({ alive }) => !alive),
  };
}
