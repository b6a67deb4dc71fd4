import { LRUCache } from 'lru-cache';

/**
 * The store of a cache. One caller at a time, across all instances, has the load lock of a key. The store refuses the loaded
 * value where the key was invalidated in the meantime, so that a load from before a commit cannot restore the old value. All
 * times are milliseconds by the store's clock.
 */
export interface CacheStore {
  get(key: string): Promise<CachedValue | undefined>;
  /**
   * Tries to get the load lock.
   * @param replaces id of the value that the caller wants to replace; a value with another id is returned as found
   */
  claim(key: string, replaces: string | undefined): Promise<LoadClaim>;
  /** Stores the value with the time of its load lock, and releases the lock. @returns false if the key was invalidated since */
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
  /** loadLock is undefined while the store is down: load without caching. */
  | { outcome: 'load'; loadLock: LoadLock | undefined };

/** After this time another caller may load too, because the first may be dead. Both values are valid. */
export const LOAD_LOCK_MS = 2_000;
/** Longer than any load: each of its statements ends after 5 s. A value that is loaded later is refused. */
export const FENCE_MS = 20_000;
/** Maximum age of a value, and of a missed invalidation. */
export const TTL_MAX_MS = 120_000;

const MAX_ENTRIES = 50_000;

interface Entry {
  value: CachedValue | undefined;
  at: number;
  expiresAt: number;
  fence: string;
  fenceUntil: number;
  token: string | undefined;
  lockedUntil: number;
}

/**
 * Creates a store for one instance. Does not see invalidations of other processes.
 * @param now milliseconds; tests set it
 */
export function createMemoryCacheStore(now: () => number = () => performance.now()): CacheStore {
  const entries = new LRUCache<string, Entry>({ max: MAX_ENTRIES });
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
      Object.assign(entry, { token, lockedUntil: now() + LOAD_LOCK_MS, fenceUntil: now() + FENCE_MS });
      return { outcome: 'load', loadLock: { token, fence: entry.fence, grantedAt: now() } };
    },
    async put(key, { token, fence, grantedAt }, value, ttlMs) {
      const entry = entries.get(key);
      if (entry?.fence !== fence || now() >= entry.fenceUntil) return false;
      if (entry.token === token) entry.lockedUntil = 0;
      const expiresAt = grantedAt + Math.min(Math.floor(ttlMs), TTL_MAX_MS);
      if (now() < expiresAt && grantedAt >= entry.at)
        Object.assign(entry, { value: { id: token, value }, at: grantedAt, expiresAt });
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
