import { LRUCache } from 'lru-cache';
import { countSeries } from '../counted-series';
import type { Db } from '../database';
import type { ReadCacheValidity } from './validity';

export interface CachedEntry<T> {
  value: T;
  /** Expiry by the database's clock, in milliseconds since the epoch. 0: not cached. */
  until: number;
  /** Approximate size in KiB. */
  size: number;
}

export interface ReadCache {
  /**
   * Returns the cached value of the key, or loads it. Concurrent calls for a key share one load. While the cache is not valid,
   * every call loads. Callers share the value: do not change it.
   */
  get<T>(key: string, load: () => Promise<CachedEntry<T>>): Promise<T>;
  /** Returns the cached value of the key; undefined if there is none, or while the cache is not valid. Loads nothing. */
  peek<T>(key: string): T | undefined;
  /** Removes the value of the key. */
  drop(key: string): void;
  isValid(): boolean;
}

/** A database and a cache for its reads. */
export interface CachedReads {
  db: Db;
  cache: ReadCache;
}

/** Reads without a cache, for commands. */
export function uncachedReads(db: Db): CachedReads {
  return {
    db,
    cache: {
      get: async (_key, load) => (await load()).value,
      peek: () => undefined,
      drop: () => {},
      isValid: () => false,
    },
  };
}

const KIB = 1024;

const lookUps = countSeries({
  name: 'leased_cache_lookups_total',
  help: 'Read-cache lookups by outcome; unleased: the cache was not valid.',
  labelNames: ['cache', 'outcome'] as const,
});

/** @param maxSize approximate size in KiB */
export function createReadCache(validity: ReadCacheValidity, name: string, maxSize: number): ReadCache {
  const entries = new LRUCache<string, CachedEntry<unknown>>({ maxSize });
  let loads = new Map<string, Promise<CachedEntry<unknown>>>();
  const count = {
    hit: lookUps({ cache: name, outcome: 'hit' }),
    miss: lookUps({ cache: name, outcome: 'miss' }),
    unleased: lookUps({ cache: name, outcome: 'unleased' }),
  };

  validity.onChange(() => {
    entries.clear();
    // A load that began before the change still answers its callers, but is not cached.
    loads = new Map();
  });

  const isFresh = (found: CachedEntry<unknown>) => found.until > validity.latestDatabaseTime();

  function loadOnce<T>(key: string, load: () => Promise<CachedEntry<T>>): Promise<CachedEntry<T>> {
    const own = loads;
    const pending = load();
    own.set(key, pending);
    pending.then(
      (found) => {
        own.delete(key);
        if (own === loads && isFresh(found))
          entries.set(key, found, { size: Math.ceil(found.size + key.length / KIB) });
      },
      () => own.delete(key),
    );
    return pending;
  }

  return {
    isValid: validity.isValid,
    async get<T>(key: string, load: () => Promise<CachedEntry<T>>): Promise<T> {
      if (!validity.isValid()) {
        count.unleased.inc();
        return (await load()).value;
      }
      const pendingLoad = loads.get(key);
      const found = entries.get(key) ?? (pendingLoad && (await pendingLoad));
      if (found && isFresh(found)) {
        count.hit.inc();
        return found.value as T;
      }
      count.miss.inc();
      return (await (validity.isValid() ? loadOnce(key, load) : load())).value;
    },
    peek<T>(key: string): T | undefined {
      const found = validity.isValid() ? entries.get(key) : undefined;
      if (!found || !isFresh(found)) return undefined;
      count.hit.inc();
      return found.value as T;
    },
    drop: (key) => void entries.delete(key),
  };
}
