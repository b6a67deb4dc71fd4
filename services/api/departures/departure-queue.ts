import type { Turn } from '../../platform/database';
import { AppError } from '../../platform/errors';
import { DepartureBusyError } from './departure.errors';

/** Concurrent writes to one departure in this process; the pool's other connections stay free for other departures. */
const CONCURRENCY_LIMIT = 3;
/** Limits the wait in the queue and for the row lock together. */
const WAIT_MS = 2_000;

/** A departure of a request by the tour's id, so that requests by slug and by id wait in one queue. */
export interface QueuedDeparture {
  tourId: string;
  /** Null: the request locks no departure. */
  departureDate: string | null;
}

/** Queues writes by departure, in order of arrival, before they take a database connection. */
export interface DepartureQueue {
  /**
   * @param find returns the departures that the write locks; if it is refused, the write starts at once and its transaction gives
   *   the refusal
   * @throws DepartureBusyError after two seconds (409)
   */
  turnFor(find: () => Promise<QueuedDeparture[]>): Turn;
}

interface Queue {
  running: number;
  waiting: Set<() => void>;
}

/** Creates the queues of one process. */
export function createDepartureQueue(): DepartureQueue {
  const queues = new Map<string, Queue>();

  /** Waits in one queue after the other. The keys are sorted, so that two writes never wait for each other. */
  async function inQueues<T>([key, ...others]: string[], lockBy: number, work: () => Promise<T>): Promise<T> {
    if (key === undefined) return work();
    const queue = queues.get(key) ?? { running: 0, waiting: new Set() };
    queues.set(key, queue);
    // A write that ends passes its slot to the next one, so `running` does not change.
    if (queue.running < CONCURRENCY_LIMIT) queue.running++;
    else await waitIn(queue, lockBy);
    try {
      return await inQueues(others, lockBy, work);
    } finally {
      const [next] = queue.waiting;
      if (next) next();
      else if (--queue.running === 0) queues.delete(key);
    }
  }

  return {
    turnFor: (find) => async (work) => {
      const departures = (await find().catch(ignoreRefusal)) ?? [];
      const dated = departures.filter(({ departureDate }) => departureDate !== null);
      if (dated.length === 0) return work();
      const keys = new Set(dated.map(({ tourId, departureDate }) => `${tourId} ${departureDate}`));
      const lockBy = performance.now() + WAIT_MS;
      return inQueues([...keys].sort(), lockBy, () => work(lockBy));
    },
  };
}

function waitIn(queue: Queue, until: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      clearTimeout(timer);
      queue.waiting.delete(begin);
      resolve();
    };
    const timer = setTimeout(() => {
      queue.waiting.delete(begin);
      reject(new DepartureBusyError());
    }, until - performance.now());
    queue.waiting.add(begin);
  });
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
}
