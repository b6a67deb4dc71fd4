import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import {
  isListOf,
  luaClock,
  STORE_CLOCK,
  type StoreScript,
  wrongReply,
  type Backlog,
  type RunScript,
  type StoreGuard,
} from './store-guard';

/**
 * The store of a cache. For each key, one caller at a time, across all instances, has the load lock. The store refuses a loaded value if
 * the key was invalidated during the load. So a load that began before a commit cannot restore the old value. All times are milliseconds by
 * the store's clock.
 */
export interface CacheStore {
  get(key: string): Promise<CachedValue | undefined>;
  /**
   * Tries to get the load lock.
   * @param replaces id of the value that the caller wants to replace; if the store has a value with another id, the caller gets that value
   */
  claim(key: string, replaces: string | undefined): Promise<LoadClaim>;
  /**
   * Stores the value with the time at which the load lock was granted, and releases the lock.
   * @returns false if the key was invalidated since then, or the load took longer than FENCE_MS
   */
  put(key: string, loadLock: LoadLock, value: string, ttlMs: number): Promise<boolean>;
  /** Releases the load lock without a value. */
  release(key: string, loadLock: LoadLock): Promise<void>;
  /** Deletes the value and refuses running loads. Call it after a commit. Never rejects. */
  invalidate(key: string): Promise<void>;
}

export interface CachedValue {
  id: string;
  value: string;
  ageMs: number;
}

export interface LoadLock {
  /** Becomes the id of the loaded value. */
  token: string;
  /** Fence token: changes when the key is invalidated. */
  fence: string;
  grantedAt: number;
}

export type LoadClaim =
  | { outcome: 'found'; found: CachedValue }
  | { outcome: 'busy' }
  /** `loadLock` is undefined while the store is down: the caller then loads without caching. */
  | { outcome: 'load'; loadLock: LoadLock | undefined };

/** After this time another caller may load the same key too, because the first caller may be dead. The values of both callers are valid. */
const LOAD_LOCK_MS = 2_000;
/** Longer than any load, because each statement of a load ends after at most 5 s. The store refuses a value that arrives later. */
const FENCE_MS = 20_000;
/** Maximum age of a value, and of a missed invalidation. */
const TTL_MAX_MS = 120_000;

const ENTRIES_MAX = 50_000;

interface Entry {
  value: { id: string; value: string } | undefined;
  at: number;
  expiresAt: number;
  fence: string;
  fenceUntil: number;
  token: string | undefined;
  lockedUntil: number;
}

/** Creates a store for one instance. This store does not see invalidations of other processes. @param now milliseconds; tests set it */
export function createMemoryCacheStore(now: () => number = () => performance.now()): CacheStore {
  const entries = new LRUCache<string, Entry>({ max: ENTRIES_MAX });
  let lastToken = 0;

  function lookUp(key: string): CachedValue | undefined {
    const entry = entries.get(key);
    if (!entry?.value || now() >= entry.expiresAt) return undefined;
    const { id, value } = entry.value;
    return { id, value, ageMs: now() - entry.at };
  }

  return {
    get: async (key) => lookUp(key),
    async claim(key, replaces) {
      const found = lookUp(key);
      if (found && found.id !== replaces) return { outcome: 'found', found };
      const entry = entries.get(key) ?? { ...EMPTY };
      if (now() < entry.lockedUntil) return { outcome: 'busy' };
      const token = String(++lastToken);
      if (now() >= entry.fenceUntil) entry.fence = token;
      entries.set(key, entry);
      entry.token = token;
      entry.lockedUntil = now() + LOAD_LOCK_MS;
      entry.fenceUntil = now() + FENCE_MS;
      return { outcome: 'load', loadLock: { token, fence: entry.fence, grantedAt: now() } };
    },
    async put(key, { token, fence, grantedAt }, value, ttlMs) {
      const entry = entries.get(key);
      if (entry?.fence !== fence || now() >= entry.fenceUntil) return false;
      if (entry.token === token) entry.lockedUntil = 0;
      const expiresAt = grantedAt + Math.min(Math.floor(ttlMs), TTL_MAX_MS);
      if (now() < expiresAt && grantedAt >= entry.at) {
        entry.value = { id: token, value };
        entry.at = grantedAt;
        entry.expiresAt = expiresAt;
      }
      return true;
    },
    async release(key, { token }) {
      const entry = entries.get(key);
      if (entry?.token === token) entry.lockedUntil = 0;
    },
    async invalidate(key) {
      entries.delete(key);
    },
  };
}

const EMPTY: Entry = {
  value: undefined,
  at: -Infinity,
  expiresAt: 0,
  fence: '',
  fenceUntil: -Infinity,
  token: undefined,
  lockedUntil: -Infinity,
};

type Found = [id: string, value: string, ageMs: number];

/**
 * Implements CacheStore in Lua. One hash for each key holds the value and the load lock, so that one DEL deletes both. Fields of the hash
 * hold all expiry times by the store's clock; PEXPIRE only frees memory. Deletes a key that is not a hash. The fields keep the names
 * `generation` (the fence) and `busy` (the load lock), because running instances of earlier releases use them too.
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

const MISSED_MAX = 100_000;
const FLUSH_AT_ONCE = 100;

/**
 * Creates a cache that caches nothing while the store is down, because a cache in memory would not see the sales of other instances.
 * Records the invalidations that the store missed. Repeats them before this process reads from the store again.
 */
export function createGuardedCacheStore(guard: StoreGuard): CacheStore {
  const shared = createScriptedCacheStore(guard.run);
  const missed = createMissedInvalidations();
  guard.setBacklog(missed.backlog);
  // Returns the fallback while the store is down. Logs nothing, because the guard logs that the store is down.
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
