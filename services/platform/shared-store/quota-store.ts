import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { isListOf, wrongReply, type RunScript, type StoreScript } from './store-guard';

export interface QuotaAnswer {
  allowed: boolean;
  remaining: number;
  /** Whole seconds until the window ends: 1 to WINDOW_SECONDS. */
  resetSeconds: number;
}

/**
 * Counts requests in fixed windows of rate-limiter-flexible. The window of a bucket begins with its first request. A changed limit begins a
 * new window.
 */
export interface QuotaStore {
  /** Counts a request of `bucket` that costs `cost`, by default 1. Counts a refused request too. */
  consume(bucket: string, limit: number, cost?: number): Promise<QuotaAnswer>;
}

export const WINDOW_SECONDS = 60;

/**
 * Maximum number of buckets in memory. Every address that guesses credentials has a bucket, and an attacker has many addresses. 100,000
 * buckets take 100 MB.
 */
const BUCKETS_MAX = 100_000;

const fallbacks = new Counter({
  name: 'quota_fallbacks_total',
  help: 'Requests counted in this process because the shared store was down.',
});

/** Creates quotas of one instance. */
export function createMemoryQuotaStore(maxBuckets: number = BUCKETS_MAX): QuotaStore {
  const limiterOf = createBoundedMemory(maxBuckets);
  return createQuotaStore((limit) => limiterOf(limit));
}

/**
 * Creates quotas that all instances share. While the store is down, they are counted in memory, and each of `replicas` processes allows its
 * share of the limit.
 */
export function createSharedQuotaStore(run: RunScript, replicas: number): QuotaStore {
  const storeClient = storeClientOf(run);
  const memoryOf = createBoundedMemory(BUCKETS_MAX);
  return createQuotaStore(
    (limit) =>
      new RateLimiterRedis({
        storeClient,
        points: limit,
        duration: WINDOW_SECONDS,
        keyPrefix: `quota:${limit}`,
        insuranceLimiter: memoryOf(Math.max(1, Math.floor(limit / replicas))),
      }),
  );
}

function createQuotaStore(createLimiter: (limit: number) => RateLimiterAbstract): QuotaStore {
  const limiters = new Map<number, RateLimiterAbstract>();
  const limiterOf = (limit: number) => {
    const limiter = limiters.get(limit) ?? createLimiter(limit);
    limiters.set(limit, limiter);
    return limiter;
  };
  return {
    async consume(bucket, limit, cost = 1) {
      try {
        return answerOf(true, await limiterOf(limit).consume(bucket, cost));
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return answerOf(false, refusal);
      }
    },
  };
}

function answerOf(allowed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): QuotaAnswer {
  // A clock that is set back makes the wait of the library longer than the window.
  const seconds = Math.min(WINDOW_SECONDS, Math.ceil(msBeforeNext / 1000));
  return { allowed, remaining: remainingPoints, resetSeconds: Math.max(1, seconds) };
}

/**
 * Returns a function that creates limiters in memory. Together they keep at most `maxBuckets` buckets and delete the least recently used
 * ones.
 */
function createBoundedMemory(maxBuckets: number): (points: number) => RateLimiterMemory {
  const usedBy = new LRUCache<string, RateLimiterMemory>({
    max: maxBuckets,
    dispose: (limiter, key) => void limiter.delete(limiter.parseKey(key)),
  });
  class BoundedMemory extends RateLimiterMemory {
    override consume(bucket: string, cost?: number): Promise<RateLimiterRes> {
      usedBy.set(this.getKey(bucket), this);
      return super.consume(bucket, cost);
    }
  }
  return (points) => new BoundedMemory({ points, duration: WINDOW_SECONDS, keyPrefix: `${points}` });
}

/**
 * Returns the part of a client of ioredis that RateLimiterRedis uses. It sends the library's script through `run`, so the library works over
 * Redis and over the REST interface.
 */
function storeClientOf(run: RunScript) {
  const script: StoreScript<[consumed: number, waitMs: number]> = {
    lua: '',
    read(reply) {
      if (!isListOf<[number, number]>(reply, 'number', 'number')) throw wrongReply();
      return reply;
    },
  };
  return {
    defineCommand(_name: string, { lua }: { lua: string }): void {
      script.lua = lua;
    },
    async rlflxIncr([key, ...args]: [string, ...string[]]): Promise<[number, number]> {
      try {
        return await run(script, key, args);
      } catch (error) {
        // The library then asks its insurance limiter.
        fallbacks.inc();
        throw error;
      }
    },
  };
}
