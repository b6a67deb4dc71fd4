import type { Turn } from '../../platform/database';
import { AppError } from '../../platform/errors';
import { DepartureBusyError } from './departure.errors';

/** Concurrent writes to one departure in this process; the pool's other connections stay free for other departures. */
const CONCURRENCY_LIMIT = 3;
/** Limits the wait in the queue and for the row lock together. */
const WAIT_MS = 2_000;

/** The departure of a request by the tour's id, so that requests by slug and by id wait in one queue. */
export interface QueuedDeparture {
  tourId: string;
  /** Null: the request locks no departure. */
  departureDate: string | null;
}

/** Queues writes by departure, in order of arrival, before they take a database connection. */
export interface DepartureQueue {
  /**
   * @param find returns the departure; if it is refused, the write starts at once and its transaction gives the refusal
   * @throws DepartureBusyError after two seconds (409)
   */
  turnFor(find: () => Promise<QueuedDeparture>): Turn;
}

interface Queue {
  running: number;
  waiting: Set<() => void>;
}

/** Creates the queues of one process. */
export function createDepartureQueue(): DepartureQueue {
  const queues = new Map<string, Queue>();

  async function inQueue<T>(key: string, work: (lockBy: number) => Promise<T>): Promise<T> {
    const lockBy = performance.now() + WAIT_MS;
    const queue = queues.get(key) ?? { running: 0, waiting: new Set() };
    queues.set(key, queue);
    // A write that ends passes its slot to the next one, so `running` does not change.
    if (queue.running < CONCURRENCY_LIMIT) queue.running++;
    else await waitIn(queue);
    try {
      return await work(lockBy);
    } finally {
      const [next] = queue.waiting;
      if (next) next();
      else if (--queue.running === 0) queues.delete(key);
    }
  }

  return {
    turnFor: (find) => async (work) => {
      const departure = await find().catch(ignoreRefusal);
      if (!departure?.departureDate) return work();
      return inQueue(`${departure.tourId} ${departure.departureDate}`, work);
    },
  };
}

function waitIn(queue: Queue): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      clearTimeout(timer);
      queue.waiting.delete(begin);
      resolve();
    };
    const timer = setTimeout(() => {
      queue.waiting.delete(begin);
      reject(new DepartureBusyError());
    }, WAIT_MS);
    queue.waiting.add(begin);
  });
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
}
