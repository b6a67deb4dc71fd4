import type { Db } from '../platform/database';
import type { Endpoint } from './endpoints/endpoint';
import { listEndpoints } from './endpoints/endpoint.repository';
import { findCounts, findWorkers } from './monitor/queries/overview.repository';

/** How the queue is, by the database's clock. */
export interface QueueHealth {
  /** That a worker could send at this moment. */
  due: number;
  oldestDueSeconds: number;
  /** Due, and held back by an endpoint that is paused, disabled or blocked. */
  held: number;
  /** Without an endpoint to go to. */
  waiting: number;
  retrying: number;
  dead: number;
  breakersOpen: number;
  disabled: Endpoint[];
  workers: number;
  /** Workers that have missed three beats; a row is forgotten after a day. */
  silent: { id: string; beatAt: Date }[];
}

export async function inspectQueue(db: Db): Promise<QueueHealth> {
  const { now, oldestDue, due, held, waiting, retrying, dead, breakersOpen } = await findCounts(db);
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
