import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  type CachedValue,
  type CacheStore,
  type LoadClaim,
  FENCE_MS,
  LOAD_LOCK_MS,
  TTL_MAX_MS,
} from '../cache-store';
import { isListOf, luaClock, STORE_CLOCK, type StoreScript, wrongReply } from './store-connection';
import type { Backlog, RunScript, StoreGuard } from './store-guard';

const MISSED_MAX = 100_000;
const FLUSH_AT_ONCE = 100;

type Found = [id: string, value: string, ageMs: number];

/**
 * Implements cache-store.ts in Lua: one hash per key holds value and load lock, so that one DEL deletes both. The fields hold all
 * expiry times by the store's clock; PEXPIRE only frees memory. Deletes a key that is not a hash. The fields keep the names
 * `generation` (the fence) and `busy` (the load lock), which running instances share.
 */
function cacheScripts(clock: string) {
  const open = `${luaClock(clock)}
local entry = redis.pcall('HMGET', KEYS[1], 'id', 'value', 'at', 'expires', 'generation', 'until', 'token', 'busy')
if entry.err then redis.call('DEL', KEYS[1]) entry = {} end
local id, value, at, expires = entry[1], entry[2], tonumber(entry[3] or 0) or 0, tonumber(entry[4] or 0) or 0
local generation, kept, token, busy = entry[5], tonumber(entry[6] or 0) or 0, entry[7], tonumber(entry[8] or 0) or 0
local live = id and value and now < expires`;
  const get: StoreScript<CachedValue | undefined> = {
    lua: `${open}
if live then return {id, value, now - at} end
return false`,
    read: (reply) => (reply === null ? undefined : readFound(reply)),
  };
  const claim: StoreScript<LoadClaim | [fence: string, grantedAt: number]> = {
    lua: `${open}
if live and id ~= ARGV[1] then return {id, value, now - at} end
if now < busy then return false end
if not generation or now >= kept then generation = ARGV[2] end
kept = now + ${FENCE_MS}
redis.call('HSET', KEYS[1], 'generation', generation, 'until', kept, 'token', ARGV[2], 'busy', now + ${LOAD_LOCK_MS})
redis.call('PEXPIRE', KEYS[1], math.max(kept, expires) - now)
return {generation, now}`,
    read(reply) {
      if (reply === null) return { outcome: 'busy' };
      if (isListOf<[string, number]>(reply, 'string', 'number')) return reply;
      return { outcome: 'found', found: readFound(reply) };
    },
  };
  const put: StoreScript<boolean> = {
    lua: `${open}
if generation ~= ARGV[2] or now >= kept then return 0 end
if token == ARGV[1] then redis.call('HDEL', KEYS[1], 'busy') end
local granted = tonumber(ARGV[3])
local wanted = granted + tonumber(ARGV[5])
if now < wanted and granted >= at then
  redis.call('HSET', KEYS[1], 'id', ARGV[1], 'value', ARGV[4], 'at', granted, 'expires', wanted)
  redis.call('PEXPIRE', KEYS[1], math.max(kept, wanted) - now)
end
return 1`,
    read: readFlag,
  };
  const release: StoreScript<boolean> = {
    lua: `${open}
if token ~= ARGV[1] then return 0 end
return redis.call('HDEL', KEYS[1], 'busy')`,
    read: readFlag,
  };
  return { get, claim, put, release };
}

const INVALIDATE: StoreScript<boolean> = {
  lua: `return redis.call('DEL', KEYS[1])`,
  read: readFlag,
};

function readFound(reply: unknown): CachedValue {
  if (!isListOf<Found>(reply, 'string', 'string', 'number')) throw wrongReply();
  const [id, value, ageMs] = reply;
  return { id, value, ageMs };
}

function readFlag(reply: unknown): boolean {
  if (reply !== 0 && reply !== 1) throw wrongReply();
  return reply === 1;
}

/** Creates a cache that all instances share. @throws the errors of `run`, also from invalidate */
export function createScriptedCacheStore(run: RunScript, clock = STORE_CLOCK): CacheStore {
  const scripts = cacheScripts(clock);
  return {
    get: (key) => run(scripts.get, key),
    async claim(key, replaces = '') {
      const token = randomUUID();
      const answer = await run(scripts.claim, key, [replaces, token]);
      if (!Array.isArray(answer)) return answer;
      const [fence, grantedAt] = answer;
      return { outcome: 'load', loadLock: { token, fence, grantedAt } };
    },
    put(key, { token, fence, grantedAt }, value, ttlMs) {
      const ttl = Math.min(Math.floor(ttlMs), TTL_MAX_MS);
      return run(scripts.put, key, [token, fence, String(grantedAt), value, String(ttl)]);
    },
    release: async (key, { token }) => void (await run(scripts.release, key, [token])),
    invalidate: async (key) => void (await run(INVALIDATE, key)),
  };
}

/**
 * Caches nothing while the store is down: memory would not see the sales of other instances. Keeps missed invalidations, and
 * repeats them before this process reads from the store again.
 */
export function createGuardedCacheStore(guard: StoreGuard): CacheStore {
  const shared = createScriptedCacheStore(guard.run);
  const missed = createMissedInvalidations();
  guard.setBacklog(missed.backlog);
  // The guard logs that the store is down.
  const orElse = async <T>(fallback: T, call: () => Promise<T>) =>
    guard.up ? call().catch(() => fallback) : fallback;
  return {
    get: (key) => orElse(undefined, () => shared.get(key)),
    claim: (key, seen) =>
      orElse<LoadClaim>({ outcome: 'load', loadLock: undefined }, () => shared.claim(key, seen)),
    put: (key, loadLock, value, ttlMs) => orElse(false, () => shared.put(key, loadLock, value, ttlMs)),
    release: (key, loadLock) => orElse(undefined, () => shared.release(key, loadLock)),
    invalidate: (key) => shared.invalidate(key).catch(() => missed.add(key)),
  };
}

function createMissedInvalidations(): { add(key: string): void; backlog: Backlog } {
  const missed = new LRUCache<string, true>({ max: MISSED_MAX, ttl: TTL_MAX_MS });
  const add = (key: string) => void missed.set(key, true);
  return {
    add,
    backlog: {
      size() {
        missed.purgeStale();
        return missed.size;
      },
      async flush(run) {
        const keys = [...missed.keys()].slice(0, FLUSH_AT_ONCE);
        // Deletes first, so that a key that is added again in the meantime stays.
        for (const key of keys) missed.delete(key);
        try {
          await Promise.all(keys.map((key) => run(INVALIDATE, key)));
        } catch (error) {
          keys.forEach(add);
          throw error;
        }
      },
    },
  };
}
