import { Counter } from 'prom-client';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { createMemoryQuotaStore, type QuotaStore, SLICE_SECONDS, SLICES } from '../quota-store';
import { isListOf, luaClock, STORE_CLOCK, type StoreScript, wrongReply } from './store-connection';
import type { RunScript, StoreGuard } from './store-guard';

const fallbacks = new Counter({
  name: 'quota_fallbacks_total',
  help: 'Requests counted in this process because the shared store was down.',
});

type Consumed = [used: number, waitMs: number];

/**
 * Implements quota-store.ts in Lua: one hash holds the slices of a bucket, by number. Does not store a refused request. ARGV are
 * those of rate-limiter-flexible: points, seconds, limit, duration. Deletes a key that is not a hash of numbers.
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

/** While the store is down, each of `replicas` processes grants its share of the limit from memory. */
export function createGuardedQuotaStore(guard: StoreGuard, replicas: number): QuotaStore {
  const shared = createScriptedQuotaStore(guard.run);
  const memory = createMemoryQuotaStore();
  return {
    async consume(bucket, limit) {
      if (guard.up) {
        try {
          return await shared.consume(bucket, limit);
        } catch {
          // The guard logs it.
        }
      }
      fallbacks.inc();
      return memory.consume(bucket, Math.max(1, Math.floor(limit / replicas)));
    },
  };
}
