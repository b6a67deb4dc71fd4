import { rateLimited } from './problems.ts';

/** Most writes of one visitor that wait at a time. */
const WAITING_MAX = 20;

export interface Turns {
  /**
   * Runs `work` after the earlier works with the same key, in this process.
   * @throws Refusal rate_limited if too many wait; the error of `work`
   */
  take<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Number of keys with a work that runs or waits. */
  size(): number;
}

export function createTurns(): Turns {
  const queues = new Map<string, { last: Promise<unknown>; length: number }>();
  return {
    take: async (key, work) => {
      const queue = queues.get(key) ?? { last: Promise.resolve(), length: 0 };
      if (queue.length >= WAITING_MAX) throw rateLimited('Too many requests of this visitor wait.', 1);
      queue.length += 1;
      queues.set(key, queue);
      const result = queue.last.then(work);
      queue.last = result.catch(() => undefined);
      try {
        return await result;
      } finally {
        queue.length -= 1;
        if (queue.length === 0) queues.delete(key);
      }
    },
    size: () => queues.size,
  };
}
