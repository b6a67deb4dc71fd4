import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';

export interface QuotaAnswer {
  allowed: boolean;
  remaining: number;
  /** Whole seconds, at least 1: until some of what was used comes back; for a refusal, until one request is let in. */
  resetSeconds: number;
}

/** Counts requests in a window that slides, so that no minute, wherever it begins, sees more than the limit. */
export interface QuotaStore {
  /** Counts one request of `bucket`; a refused one does not count. */
  consume(bucket: string, limit: number): Promise<QuotaAnswer>;
}

export const SLICE_SECONDS = 5;
/** A minute that begins within a slice touches one slice more than it is long. */
export const SLICES = 60 / SLICE_SECONDS + 1;

/**
 * Of all buckets together: addresses that guess credentials have one each, and there are as many of them as anybody likes.
 * 100,000 took 69 MB, unbounded 300,000 took 188.
 */
const MAX_COUNTS = 100_000;

/**
 * For one instance. Slices of five seconds, each a fixed window of rate-limiter-flexible; the sum of those that the last
 * minute touches is held against the limit. (Two windows of a minute, weighted, let 113 of 60 through in 57 s: seen.)
 * Where there are more counts than it may keep, those that nobody has added to for longest are forgotten.
 * @param now milliseconds; a test moves it
 */
export function createMemoryQuotaStore(
  now: () => number = Date.now,
  maxCounts: number = MAX_COUNTS,
): QuotaStore {
  const slices = new RateLimiterMemory({
    points: Number.MAX_SAFE_INTEGER,
    duration: (SLICES + 1) * SLICE_SECONDS,
  });
  const kept = new LRUCache<string, true>({
    max: maxCounts,
    dispose: (_, key, reason) => void (reason === 'evict' && slices.delete(key)),
  });
  return {
    async consume(bucket, limit) {
      const seconds = now() / 1000;
      const current = Math.floor(seconds / SLICE_SECONDS);
      const key = `${bucket}:${current}`;
      kept.set(key, true);
      // Counted first, given back if refused: two requests at once never both take the last one.
      const counts = [(await slices.consume(key)).consumedPoints];
      for (let back = 1; back < SLICES; back++) {
        counts.unshift((await slices.get(`${bucket}:${current - back}`))?.consumedPoints ?? 0);
      }
      const used = counts.reduce((sum, count) => sum + count, 0);
      const allowed = used <= limit;
      if (!allowed) await slices.reward(key);
      const excess = allowed ? 1 : used - limit;
      const wait = (slicesUntilFree(counts, excess) + current + 1) * SLICE_SECONDS - seconds;
      return { allowed, remaining: Math.max(0, limit - used), resetSeconds: Math.max(1, Math.ceil(wait)) };
    },
  };
}

/** How many slices on from the current one the oldest ones have taken `excess` requests with them. */
function slicesUntilFree(counts: number[], excess: number): number {
  let gone = 0;
  const last = counts.findIndex((count) => (gone += count) >= excess);
  return last < 0 ? SLICES - 1 : last;
}
