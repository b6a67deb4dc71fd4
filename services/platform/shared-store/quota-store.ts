import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { Counter } from 'prom-client';
import {
  isListOf,
  luaClock,
  STORE_CLOCK,
  type StoreScript,
  wrongReply,
  type RunScript,
  type StoreGuard,
} from './store-guard';

export interface QuotaAnswer {
  allowed: boolean;
  remaining: number;
  /**
   * Whole seconds, at least 1. After an allowed request: until a part of the used quota becomes free. After a refused request: until one
   * request is allowed.
   */
  resetSeconds: number;
}

/** Counts requests in a sliding window, so that no period of 60 seconds has more requests than the limit. */
export interface QuotaStore {
  /** Counts one request of `bucket`. A refused request does not count. */
  consume(bucket: string, limit: number): Promise<QuotaAnswer>;
}

const SLICE_SECONDS = 5;
/**
 * The number of slices that can contain requests of the same minute. This is one more than the slices of a minute, because a minute may
 * begin within a slice.
 */
const SLICES = 60 / SLICE_SECONDS + 1;
/** The longest time for which a request counts. A client that spreads the allowed requests evenly over this time is never refused. */
export const WINDOW_SECONDS = SLICES * SLICE_SECONDS;

/**
 * Maximum number of buckets. Every address that guesses credentials has a bucket, and an attacker has many addresses. 100,000 buckets take
 * 84 MB.
 */
const MAX_BUCKETS = 100_000;

/** The slices of a bucket. The count of the newest one is in the limiter. */
interface Slices {
  /** Number of the newest slice, counted from the epoch. */
  newest: number;
  /** Counts of the slices before the newest one, the oldest first. They no longer change. */
  earlier: number[];
}

const NO_COUNTS: number[] = new Array<number>(SLICES - 1).fill(0);

/**
 * Counts the requests of one instance in slices of five seconds. Each slice is a fixed window of rate-limiter-flexible. Compares the sum of
 * the last minute's slices with the limit. (Two weighted windows of a minute each allowed 113 requests in 57 s instead of 60, observed.)
 * Evicts the least recently used buckets. Keeps the counts of earlier slices outside the limiter. Reading thirteen slices from the limiter
 * would take 6 µs for each request, and 20 µs for an address among 100,000 others.
 * @param now milliseconds; tests set it
 */
export function createMemoryQuotaStore(
  now: () => number = Date.now,
  maxBuckets: number = MAX_BUCKETS,
): QuotaStore {
  const limiter = new RateLimiterMemory({
    points: Number.MAX_SAFE_INTEGER,
    duration: (SLICES + 1) * SLICE_SECONDS,
  });
  const keyOf = (bucket: string, slice: number) => `${bucket}:${slice}`;
  const slicesOf = new LRUCache<string, Slices>({
    max: maxBuckets,
    dispose: ({ newest }, bucket, reason) =>
      void (reason === 'evict' && limiter.delete(keyOf(bucket, newest))),
  });

  /** Returns the slices of a bucket, up to the current one. */
  async function slicesUntil(bucket: string, current: number): Promise<Slices> {
    const last = slicesOf.get(bucket);
    // Handles a clock that is set back. If the clock went back by one slice, the newest slice continues to count. If it went back further,
    // a new slice begins at the present time, and the count of the newest slice moves to `earlier`. Otherwise the counts would stay until
    // the clock has caught up.
    if (last && (last.newest === current || last.newest === current + 1)) return last;
    const earlier = last ? await countsBefore(current, bucket, last) : NO_COUNTS;
    const slices = { newest: current, earlier };
    slicesOf.set(bucket, slices);
    // Deletes the count of the old slice last, because a concurrent request may still read it.
    if (last) await limiter.delete(keyOf(bucket, last.newest));
    return slices;
  }

  async function countsBefore(
    current: number,
    bucket: string,
    { newest, earlier }: Slices,
  ): Promise<number[]> {
    const count = (await limiter.get(keyOf(bucket, newest)))?.consumedPoints ?? 0;
    const unused = NO_COUNTS.slice(0, Math.max(0, current - newest - 1));
    return [...earlier, count, ...unused].slice(-NO_COUNTS.length);
  }

  return {
    async consume(bucket, limit) {
      const seconds = now() / 1000;
      const { newest, earlier } = await slicesUntil(bucket, Math.floor(seconds / SLICE_SECONDS));
      const key = keyOf(bucket, newest);
      // Counts a request first, and removes the count again if the request is refused. So two concurrent requests never exceed the limit.
      const counts = [...earlier, (await limiter.consume(key)).consumedPoints];
      const used = counts.reduce((sum, count) => sum + count, 0);
      const allowed = used <= limit;
      if (!allowed) await limiter.reward(key);
      const excess = allowed ? 1 : used - limit;
      const wait = (slicesUntilFree(counts, excess) + newest + 1) * SLICE_SECONDS - seconds;
      return { allowed, remaining: Math.max(0, limit - used), resetSeconds: Math.max(1, Math.ceil(wait)) };
    },
  };
}

/** Returns the number of slices after which the oldest `excess` requests have left the window. */
function slicesUntilFree(counts: number[], excess: number): number {
  let gone = 0;
  const last = counts.findIndex((count) => (gone += count) >= excess);
  return last < 0 ? SLICES - 1 : last;
}

const fallbacks = new Counter({
  name: 'quota_fallbacks_total',
  help: 'Requests counted in this process because the shared store was down.',
});

type Consumed = [used: number, waitMs: number];

/**
 * Implements QuotaStore in Lua. One hash holds the slices of a bucket, keyed by their numbers. Does not store a refused request. ARGV are
 * the arguments of rate-limiter-flexible: points, seconds, limit, duration. Deletes a key that is not a hash of numbers.
 */
function consumeScript(clock: string): StoreScript<Consumed> {
  return {
    lua: `${luaClock(clock)}
local counts = redis.pcall('HGETALL', KEYS[1])
if counts.err then redis.call('DEL', KEYS[1]) counts = {} end
local slice = math.floor(now / ${SLICE_SECONDS * 1000})
local first = slice - ${SLICES - 1}
local used, by_slice = 0, {}
for n = 1, #counts, 2 do
  local at, count = tonumber(counts[n]), tonumber(counts[n + 1])
  if not at or not count or at < first then redis.call('HDEL', KEYS[1], counts[n])
  elseif at <= slice then by_slice[at] = count used = used + count end
end
local points, limit = tonumber(ARGV[1]), tonumber(ARGV[3])
used = used + points
by_slice[slice] = (by_slice[slice] or 0) + points
local excess = used - limit
if used <= limit then
  excess = 1
  redis.call('HSET', KEYS[1], slice, by_slice[slice])
  redis.call('PEXPIRE', KEYS[1], ${(SLICES + 1) * SLICE_SECONDS * 1000})
end
local gone, last = 0, first
while last < slice do
  gone = gone + (by_slice[last] or 0)
  if gone >= excess then break end
  last = last + 1
end
return {used, (last + ${SLICES}) * ${SLICE_SECONDS * 1000} - now}`,
    read(reply) {
      if (!isListOf<Consumed>(reply, 'number', 'number')) throw wrongReply();
      return reply;
    },
  };
}

/** Creates quotas that all instances share: rate-limiter-flexible with a sliding window. @throws the errors of `run` */
export function createScriptedQuotaStore(run: RunScript, clock = STORE_CLOCK): QuotaStore {
  const script = consumeScript(clock);
  const storeClient = {
    defineCommand: () => {},
    rlflxIncr: ([key, ...args]: string[]) => run(script, key!, args),
  };
  const limiters = new Map<number, RateLimiterRedis>();
  const limiterOf = (points: number) => {
    const limiter =
      limiters.get(points) ?? new RateLimiterRedis({ storeClient, points, duration: 60, keyPrefix: 'quota' });
    limiters.set(points, limiter);
    return limiter;
  };
  return {
    async consume(bucket, limit) {
      const consumed = await limiterOf(limit)
        .consume(bucket)
        .then(
          (spent) => ({ allowed: true, spent }),
          (refusal: unknown) => {
            if (refusal instanceof RateLimiterRes) return { allowed: false, spent: refusal };
            throw refusal;
          },
        );
      const { remainingPoints, msBeforeNext } = consumed.spent;
      const resetSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
      return { allowed: consumed.allowed, remaining: remainingPoints, resetSeconds };
    },
  };
}

/** Creates quotas that are counted in memory while the store is down. Each of `replicas` processes then allows its share of the limit. */
export function createGuardedQuotaStore(guard: StoreGuard, replicas: number): QuotaStore {
  const shared = createScriptedQuotaStore(guard.run);
  const memory = createMemoryQuotaStore();
  return {
    async consume(bucket, limit) {
      if (guard.up) {
        try {
          return await shared.consume(bucket, limit);
        } catch {
          // The guard logs the error.
        }
      }
      fallbacks.inc();
      return memory.consume(bucket, Math.max(1, Math.floor(limit / replicas)));
    },
  };
}
