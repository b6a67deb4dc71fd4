import type { Turn } from '../../platform/database';
import { AppError } from '../../platform/errors';
import { DepartureBusyError } from './departure.errors';

/** Concurrent writes to one departure in this process; the pool's other connections stay free for other departures. */
const CONCURRENCY_LIMIT = 3;
/** Fewer, because moves that wait for a locked departure leave a slot for the other writes of the one that is free. */
const CONCURRENT_MOVES = 2;
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

interface WaitingWrite {
  keys: string[];
  begin(): void;
}

/** Creates the queues of one process. */
export function createDepartureQueue(): DepartureQueue {
  /** Number of writes that have begun, by departure. */
  const running = new Map<string, number>();
  /** In order of arrival. */
  const waiting = new Set<WaitingWrite>();

  const mayBegin = (keys: string[]) => {
    const limit = keys.length > 1 ? CONCURRENT_MOVES : CONCURRENCY_LIMIT;
    return keys.every((key) => (running.get(key) ?? 0) < limit);
  };

  function take(keys: string[]): void {
    for (const key of keys) running.set(key, (running.get(key) ?? 0) + 1);
  }

  function giveBack(keys: string[]): void {
    for (const key of keys) {
      const left = running.get(key)! - 1;
      if (left === 0) running.delete(key);
      else running.set(key, left);
    }
    for (const write of waiting) if (mayBegin(write.keys)) write.begin();
  }

  /** Waits without a slot, so that a write that waits for one departure does not delay the writes of another one. */
  function waitForSlots(keys: string[], until: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const write = {
        keys,
        begin() {
          clearTimeout(timer);
          waiting.delete(write);
          take(keys);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        waiting.delete(write);
        reject(new DepartureBusyError());
      }, until - performance.now());
      waiting.add(write);
    });
  }

  return {
    turnFor: (find) => async (work) => {
      const departures = (await find().catch(ignoreRefusal)) ?? [];
      const dated = departures.filter(({ departureDate }) => departureDate !== null);
      if (dated.length === 0) return work();
      const keys = [...new Set(dated.map(({ tourId, departureDate }) => `${tourId} ${departureDate}`))];
      const lockBy = performance.now() + WAIT_MS;
      if (mayBegin(keys)) take(keys);
      else await waitForSlots(keys, lockBy);
      try {
        return await work(lockBy);
      } finally {
        giveBack(keys);
      }
    },
  };
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
}
