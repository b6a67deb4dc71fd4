import type { Db } from '../platform/database';
import type { Endpoint } from './endpoints/endpoint';
import { listEndpoints } from './endpoints/endpoint.repository';
import { findWorkers } from './maintenance/worker-heartbeat.repository';
import { findQueueCounts } from './stats/queue-counts.repository';

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
  breakersOpen: number;
  disabled: Endpoint[];
  workers: number;
  /** Workers that missed three heartbeats; a row is deleted after a day. */
  silent: { id: string; beatAt: Date }[];
}

/** Reads the state of the queue for `tourctl doctor`. */
export async function inspectQueue(db: Db): Promise<QueueHealth> {
  const { now, oldestDue, due, held, waiting, retrying, dead, breakersOpen } = await findQueueCounts(db);
  const workers = await findWorkers(db);
  return {
    due,
    oldestDueSeconds: oldestDue ? Math.max(0, Math.round((now.getTime() - oldestDue.getTime()) / 1000)) : 0,
    held,
    waiting,
    retrying,
    dead,
    breakersOpen,
    disabled: await listEndpoints(db, { status: 'disabled' }),
    workers: workers.filter(({ alive }) => alive).length,
    silent: workers.filter(({ alive }) => !alive),
  };
}
