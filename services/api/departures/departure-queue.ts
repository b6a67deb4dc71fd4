import type { Turn } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import { DepartureBusyError } from './departure.errors';

/** The most writes to one departure that run at once in this process. The other connections of the pool stay free for other departures. */
const CONCURRENCY_LIMIT = 3;
/**
 * A move between two departures begins only while each of the two has fewer running writes than this number. It is less than
 * CONCURRENCY_LIMIT, so that moves that wait for the lock of one departure leave a slot for writes to the other departure.
 */
const CONCURRENT_MOVES = 2;
/** Limits the sum of two waits: in the queue, and for the row lock. */
const WAIT_MS = 2_000;

/** Queues writes by departure, in order of arrival, before they take a database connection. */
export interface DepartureQueue {
  /**
   * @param find returns the ids of the departures that the write will lock; null stands for no departure. If `find` throws an AppError, the
   * write does not queue: the transaction of the write finds the same error and answers with it
   * @throws DepartureBusyError after two seconds (409)
   */
  turnFor(find: () => Promise<(string | null)[]>): Turn;
}

interface WaitingWrite {
  departures: string[];
  begin(): void;
}

export function createDepartureQueue(): DepartureQueue {
  /** Number of writes that have begun, by departure. */
  const running = new Map<string, number>();
  /** Writes that wait for a slot, in order of arrival. */
  const waiting = new Set<WaitingWrite>();

  const mayBegin = (departures: string[]) => {
    const limit = departures.length > 1 ? CONCURRENT_MOVES : CONCURRENCY_LIMIT;
    return departures.every((id) => (running.get(id) ?? 0) < limit);
  };

  function take(departures: string[]): void {
    for (const id of departures) running.set(id, (running.get(id) ?? 0) + 1);
  }

  function giveBack(departures: string[]): void {
    for (const id of departures) {
      const left = running.get(id)! - 1;
      if (left === 0) running.delete(id);
      else running.set(id, left);
    }
    for (const write of waiting) if (mayBegin(write.departures)) write.begin();
  }

  /** Waits until all departures have a free slot. Occupies no slot meanwhile, so it does not delay other writes to these departures. */
  function waitForSlots(departures: string[], until: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const write = {
        departures,
        begin() {
          clearTimeout(timer);
          waiting.delete(write);
          take(departures);
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
      const ids = [...new Set(departures)].filter((id) => id !== null);
      if (ids.length === 0) return work();
      const lockBy = performance.now() + WAIT_MS;
      if (mayBegin(ids)) take(ids);
      else await waitForSlots(ids, lockBy);
      try {
        return await work(lockBy);
      } finally {
        giveBack(ids);
      }
    },
  };
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
}
