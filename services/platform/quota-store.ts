import { RateLimiterMemory } from 'rate-limiter-flexible';

export interface QuotaAnswer {
  allowed: boolean;
  remaining: number;
  /** Whole seconds, at least 1: until the window is over, or for a refusal until one request is let in. */
  resetSeconds: number;
}

/** Counts requests in a window that slides, so that no boundary lets twice the limit through. */
export interface QuotaStore {
  /** Counts one request of `bucket`; a refused one does not count. */
  consume(bucket: string, limit: number): Promise<QuotaAnswer>;
}

const WINDOW_SECONDS = 60;

/**
 * For one instance. The sliding window is estimated from two fixed ones of rate-limiter-flexible: what the window before
 * counted, in proportion to how much of it still lies within the last minute, and what this one counted.
 * @param now milliseconds; a test moves it
 */
export function createMemoryQuotaStore(now: () => number = Date.now): QuotaStore {
  const windows = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 2 * WINDOW_SECONDS });
  return {
    async consume(bucket, limit) {
      const time = now() / 1000 / WINDOW_SECONDS;
      const window = Math.floor(time);
      const elapsed = time - window;
      const before = (await windows.get(`${bucket}:${window - 1}`))?.consumedPoints ?? 0;
      const key = `${bucket}:${window}`;
      // Counted first, given back if refused: two requests at once never both take the last one.
      const { consumedPoints: current } = await windows.consume(key);
      const used = before * (1 - elapsed) + current;
      if (used <= limit) {
        const resetSeconds = Math.max(1, Math.ceil((1 - elapsed) * WINDOW_SECONDS));
        return { allowed: true, remaining: Math.floor(limit - used), resetSeconds };
      }
      await windows.reward(key);
      const wait = secondsUntilFree({ before, current: current - 1, elapsed, limit });
      return { allowed: false, remaining: 0, resetSeconds: Math.max(1, Math.ceil(wait)) };
    },
  };
}

/** When the estimate leaves room for one more: still in this window as the one before fades, or in the next as this one does. */
function secondsUntilFree(use: { before: number; current: number; elapsed: number; limit: number }): number {
  const room = use.limit - 1 - use.current;
  if (room >= 0) return (1 - room / use.before - use.elapsed) * WINDOW_SECONDS;
  const fade = 1 - (use.limit - 1) / use.current;
  return (1 - use.elapsed + fade) * WINDOW_SECONDS;
}
