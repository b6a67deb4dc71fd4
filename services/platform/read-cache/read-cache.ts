import { setTimeout as sleep } from 'node:timers/promises';
import type { Gauge, Histogram } from 'prom-client';
import { LRUCache } from 'lru-cache';
import type { Db } from '../database/database';
import type { Logger } from '../logger';
import { loadProm } from '../metrics';
import {
  createInstanceId,
  deleteInstance,
  exchangeVersions,
  VALIDITY_MS,
  type PollAnswer,
} from './instance.repository';
import { countSeries } from '../metrics';

const POLL_MS = 500;

/** Decides whether this process may use its read cache without asking the database (ADR 19). */
export interface ReadCacheValidity {
  isValid(): boolean;
  /** Upper bound of the database's clock, in milliseconds since the epoch. Call it only while valid. */
  latestDatabaseTime(): number;
  /** Calls `clear` when data has changed, or may have changed. */
  onChange(clear: () => void): void;
}

/** Disables the read cache: every request asks the database. */
export const NEVER_VALID: ReadCacheValidity = {
  isValid: () => false,
  latestDatabaseTime: () => Infinity,
  onChange: () => {},
};

/** Times of this process's clocks, in milliseconds. */
export interface Instant {
  monotonic: number;
  wall: number;
}

const readClocks = (): Instant => ({ monotonic: performance.now(), wall: Date.now() });

export interface RenewableValidity extends ReadCacheValidity {
  /** The version that this process has seen; 0 before the first poll. */
  seen(): number;
  /** @param began start of the poll that returned the answer */
  renew(answer: PollAnswer, began: Instant): void;
}

/** Creates a read-cache validity that ends unless the caller renews it. startReadCacheValidity renews it at each poll. */
export function createRenewableValidity(now: () => Instant = readClocks): RenewableValidity {
  const listeners: (() => void)[] = [];
  let seen = 0;
  let lastPoll: { began: Instant; databaseTime: number } | undefined;

  // Uses both clocks: the monotonic clock stops while the machine sleeps, and the wall clock may be set back.
  const ageOf = ({ monotonic, wall }: Instant) => {
    const at = now();
    return Math.max(at.monotonic - monotonic, Math.abs(at.wall - wall));
  };
  const isValid = () => lastPoll !== undefined && ageOf(lastPoll.began) < VALIDITY_MS;

  return {
    isValid,
    latestDatabaseTime: () => lastPoll!.databaseTime + ageOf(lastPoll!.began),
    onChange: (clear) => void listeners.push(clear),
    seen: () => seen,
    renew({ version, databaseTime }, began) {
      // Clears the caches also if they were not valid for a time. Commands did not wait for this process in that time, so its cache entries
      // may be stale.
      if (version !== seen || !isValid()) for (const clear of listeners) clear();
      seen = version;
      lastPoll = { began, databaseTime };
    },
  };
}

let validGauge: Gauge | undefined;

function gaugeOfValidity(): Gauge {
  validGauge ??= new (loadProm().Gauge)({
    name: 'read_cache_valid',
    help: '1 while the read cache of this instance is valid; 0: every request asks the database.',
  });
  return validGauge;
}

/** The duration of a poll, in seconds. A poll is one small statement, so a long one has waited in PgBouncer or in PostgreSQL. */
let pollSeconds: Histogram | undefined;

function pollHistogram(): Histogram {
  pollSeconds ??= new (loadProm().Histogram)({
    name: 'database_poll_seconds',
    help: 'Duration of a small statement that runs twice a second, with its wait in PgBouncer; at most 1 s',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2],
  });
  return pollSeconds;
}

/**
 * Polls until `stop` is called. A failed poll throws no error: the validity ends, and requests read from the database.
 * @param db a separate pool with one connection, because a poll that waits behind the statements of requests would be too late
 */
export function startReadCacheValidity(db: Db, log: Logger): ReadCacheValidity & { stop(): Promise<void> } {
  const validity = createRenewableValidity();
  const instance = createInstanceId();
  const stopping = new AbortController();
  let number = 0;
  let logged: boolean | undefined;

  async function poll(): Promise<void> {
    const began = readClocks();
    try {
      const answer = await exchangeVersions(db, { instance, seen: validity.seen(), number: ++number });
      validity.renew(answer, began);
    } finally {
      pollHistogram().observe((readClocks().monotonic - began.monotonic) / 1000);
    }
  }

  function logChange(isValid: boolean, error?: unknown): void {
    gaugeOfValidity().set(isValid ? 1 : 0);
    if (isValid === logged) return;
    logged = isValid;
    if (isValid) log.info('read cache is valid: authorization is cached');
    else log.warn({ err: error }, 'read cache is not valid: every request asks the database');
  }

  async function keepPolling(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { monotonic } = readClocks();
      const before = validity.seen();
      const error = await poll().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      logChange(validity.isValid(), error);
      // Polls again at once, because the command that made the change waits until this instance has seen the change.
      if (validity.seen() !== before) continue;
      const pauseMs = POLL_MS - (readClocks().monotonic - monotonic);
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const polling = keepPolling();
  return {
    ...validity,
    isValid: () => !stopping.signal.aborted && validity.isValid(),
    async stop() {
      stopping.abort();
      await polling;
      gaugeOfValidity().set(0);
      await deleteInstance(db, instance).catch(() => {});
    },
  };
}

export interface CachedEntry<T> {
  value: T;
  /** Expiry by the database's clock, in milliseconds since the epoch. 0: not cached. */
  until: number;
  /** Approximate size in KiB. */
  size: number;
}

export interface ReadCache {
  /**
   * Returns the cached value of the key, or loads the value. Concurrent calls for a key share one load. While the cache is not valid, every
   * call loads. Do not change the value, because several callers share it.
   */
  get<T>(key: string, load: () => Promise<CachedEntry<T>>): Promise<T>;
  /** Returns the cached value of the key. Returns undefined if there is no value, or while the cache is not valid. Never loads. */
  peek<T>(key: string): T | undefined;
  /** Returns whether a load of the key is running, which the next call of `get` joins. */
  isLoading(key: string): boolean;
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
      isLoading: () => false,
      drop: () => {},
      isValid: () => false,
    },
  };
}

const KIB = 1024;

const lookUps = countSeries({
  name: 'read_cache_lookups_total',
  help: 'Read-cache lookups by outcome; not_valid: the cache was not valid.',
  labelNames: ['cache', 'outcome'] as const,
});

/** @param maxSize approximate size in KiB */
export function createReadCache(validity: ReadCacheValidity, name: string, maxSize: number): ReadCache {
  const entries = new LRUCache<string, CachedEntry<unknown>>({ maxSize });
  let loads = new Map<string, Promise<CachedEntry<unknown>>>();
  const count = {
    hit: lookUps({ cache: name, outcome: 'hit' }),
    miss: lookUps({ cache: name, outcome: 'miss' }),
    notValid: lookUps({ cache: name, outcome: 'not_valid' }),
  };

  validity.onChange(() => {
    entries.clear();
    // Forgets the running loads, so that a value from before the change does not enter the cache. The callers of a running load still get
    // its value.
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
        count.notValid.inc();
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
    isLoading: (key) => validity.isValid() && loads.has(key),
    drop: (key) => void entries.delete(key),
  };
}
