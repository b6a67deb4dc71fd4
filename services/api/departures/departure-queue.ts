import type { Turn } from '../../platform/database';
import { AppError } from '../../platform/errors';
import { DepartureBusyError } from './departure.errors';

/** Concurrent writes to one departure in this process; the pool's other connections stay free for other departures. */
const CONCURRENCY_LIMIT = 3;
/**
 * The same for moves between two departures. Fewer than all slots, because a move that waits for one departure must not block the writes
 * of the other one.
 */
const CONCURRENT_MOVES = 2;
/** Limits the wait in the queue and for the row lock together. */
const WAIT_MS = 2_000;

/** Queues writes by departure, in order of arrival, before they take a database connection. */
export interface DepartureQueue {
  /**
   * @param find returns the ids of the departures that the write locks, null for none. If it throws a refusal, the write starts at once,
   *   and its transaction refuses it
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

  /** Waits without a slot, so that a write that waits for one departure does not delay the writes of another one. */
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
