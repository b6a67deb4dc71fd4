import { LRUCache } from 'lru-cache';

/**
 * What a cache needs of its store. A value is put only where nobody invalidated the key since the fence was read, so that
 * a load begun before a commit cannot put the old value back after it.
 */
export interface CacheStore {
  get<T extends object>(key: string): Promise<T | undefined>;
  fence(key: string): Promise<string>;
  put(key: string, value: object, ttlMs: number, fence: string): Promise<void>;
  invalidate(key: string): Promise<void>;
}

const MAX_ENTRIES = 50_000;
/** Longer than any load may take. */
const TOMBSTONE_MS = 5_000;

/** For one instance: what another process invalidates is not seen here. */
export function createMemoryCacheStore(): CacheStore {
  const values = new LRUCache<string, object>({ max: MAX_ENTRIES });
  const tombstones = new LRUCache<string, string>({ max: MAX_ENTRIES, ttl: TOMBSTONE_MS });
  let invalidations = 0;
  const fenceOf = (key: string) => tombstones.get(key) ?? '';
  return {
    get: <T>(key: string) => Promise.resolve(values.get(key) as T | undefined),
    fence: (key) => Promise.resolve(fenceOf(key)),
    put(key, value, ttlMs, fence) {
      if (ttlMs >= 1 && fenceOf(key) === fence) values.set(key, value, { ttl: Math.floor(ttlMs) });
      return Promise.resolve();
    },
    invalidate(key) {
      values.delete(key);
      tombstones.set(key, String(++invalidations));
      return Promise.resolve();
    },
  };
}
