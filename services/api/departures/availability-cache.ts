import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CachedValue, CacheStore, LoadLock } from '../../platform/shared-store/cache-store';
import { countSeries } from '../../platform/metrics';
import type { Logger } from '../../platform/logger';
import type { Db } from '../../platform/database/database';
import { LRUCache } from 'lru-cache';
import type { Departure } from './departure';
import { DEPARTURE_ROW } from './departure-row';
import { findDeparturesWithHorizon, findTourHorizon } from './departure-sales.repository';

/** @rule how long availability is cached: test/api/availability-horizon.test.ts */
const FRESH_MS = 10_000;
/** The time after FRESH_MS in which a request still gets the old entry, while the entry is refreshed. */
const STALE_MS = 60_000;
/** The time for which the entry of a date without a departure is fresh. */
const ABSENT_FRESH_MS = 5_000;
/**
 * Limits how long a list of departures stays wrong if a process ends between COMMIT and the invalidation. It is short, because a list has
 * no `as_of`.
 */
const TOUR_FRESH_MS = 2_000;
/** The share of the fresh time after which a hit starts a refresh, so that a date in steady demand is never stale. */
const REFRESH_AFTER = 0.9;
/** The time for which an instance waits for the load of another one, before it loads too. */
const WAIT_MS = 1_000;
/** The first pause between polls. Doubles up to POLL_MAX_MS. */
const POLL_MS = 4;
const POLL_MAX_MS = 32;
const ENTRIES_MAX = 10_000;

/** The departures of one date, by start time. All real tenants share one count of seats, all sandbox tenants another (ADR 29). */
export interface SeatFacts {
  departures: Departure[];
  asOf: Date;
}

/** Loaded seat facts and their validity. */
interface SeatEntry {
  /** The tour's revision, read in the same statement. */
  revision: number;
  facts: SeatFacts;
  /** Milliseconds from the start of the load. */
  freshMs: number;
  ttlMs: number;
}

type StoredSeatEntry = Omit<SeatEntry, 'ttlMs'>;

export interface CachedSeatFacts extends SeatFacts {
  /** The same id means the same facts. Undefined: not cached. */
  id: string | undefined;
  source: 'hit' | 'stale' | 'miss';
  ageSeconds: number;
}

/** Runs a load of the cache within the caller's limit. */
export type RunLoad = <T>(load: () => Promise<T>) => Promise<T>;

export interface AvailabilityCache {
  /**
   * @param sandbox true: the tenant is a sandbox tenant. Sandbox tenants have their own entries (ADR 29)
   * @param revision the tour's revision; an entry of an earlier revision is not used
   * @param run runs the load if the caller has to load the entry. Callers that join a running load need no limit
   */
  get(
    tourId: string,
    date: string,
    sandbox: boolean,
    revision: number,
    run?: RunLoad,
  ): Promise<CachedSeatFacts>;
  /**
   * Returns an id that stays the same until a seat of any departure of the tour is taken or freed, for two seconds at most. Undefined while
   * the store is down. A list of departures is valid while this id, read before the list, is still the current one.
   * @param sandbox true: seats of the sandbox; false: real seats
   * @param run as in `get`
   */
  seatsVersion(
    tourId: string,
    sandbox: boolean,
    revision: number,
    run?: RunLoad,
  ): Promise<string | undefined>;
  /**
   * Invalidates the date after a commit that changed its seats. Never rejects, and takes no longer than the store's timeout.
   * @param sandbox true: seats of the sandbox changed; false: real seats
   */
  drop(tourId: string, date: string, sandbox: boolean): Promise<void>;
}

interface Wanted {
  tourId: string;
  /** Null: all dates of the tour. */
  date: string | null;
  sandbox: boolean;
  revision: number;
  key: string;
}

interface Loaded {
  id: string | undefined;
  facts: SeatFacts;
  ageMs: number;
  /** True: the entry is in the store. The store refuses an entry that was invalidated during its load. */
  current: boolean;
}

interface Found extends Loaded {
  id: string;
  freshMs: number;
}

type Flight = Promise<Loaded | undefined>;

const lookups = countSeries({
  name: 'availability_lookups_total',
  help: 'Availability checks by cache result.',
  labelNames: ['result'] as const,
});

/**
 * Caches the seats of each date. An entry is fresh for 10 s (FRESH_MS). For 60 s more (STALE_MS), requests still get this entry, while one
 * request refreshes it. An entry is valid for less time if its count changes earlier, because a hold or booking expires, or a departure
 * closes or starts. A date without a departure is fresh for 5 s, and the seats version of a whole tour is valid for 2 s. One load of an
 * entry runs at a time for all instances that share the store. Holds and bookings never read the cache.
 */
export function createAvailabilityCache(db: Db, store: CacheStore, log: Logger): AvailabilityCache {
  const loads = new Map<string, Flight>();
  const refreshes = new Map<string, Flight>();
  const answerOf = createEntryReader();

  /**
   * Loads the entry, unless another instance is already loading it. Then waits up to `maxWaitMs` for the other instance, and loads the
   * entry if none has arrived. With maxWaitMs 0, returns undefined instead of waiting.
   */
  async function loadOrAwait(wanted: Wanted, seen: string | undefined, maxWaitMs: number): Flight {
    const deadline = performance.now() + maxWaitMs;
    let rejectedId = seen;
    for (let pause = POLL_MS; ; pause = Math.min(2 * pause, POLL_MAX_MS)) {
      const claim = await store.claim(wanted.key, rejectedId);
      if (claim.outcome === 'load') return loadUnder(claim.loadLock, db, store, wanted);
      const found = claim.outcome === 'found' ? answerOf(wanted, claim.found) : undefined;
      if (found) return found;
      if (claim.outcome === 'found') rejectedId = claim.found.id;
      if (performance.now() >= deadline) break;
      if (claim.outcome === 'busy') await sleep(pause * (0.5 + Math.random()));
    }
    return maxWaitMs > 0 ? loadUnder(undefined, db, store, wanted) : undefined;
  }

  /**
   * Shares one load among the requests of this process. A request that finds a running load waits for it, and then loads again if the
   * store refused the entry. Waits in `run` before it joins or begins a load, because other requests wait for the load.
   */
  async function loadShared(wanted: Wanted, seen: string | undefined, run: RunLoad): Promise<Loaded> {
    const underway = loads.get(flightKey(wanted));
    if (underway) {
      const loaded = (await underway)!;
      if (loaded.current) return loaded;
    }
    return (await run(() => join(loads, wanted, () => loadOrAwait(wanted, seen, WAIT_MS))))!;
  }

  function refresh(wanted: Wanted, seen: string): void {
    join(refreshes, wanted, () => loadOrAwait(wanted, seen, 0)).catch((error: unknown) => {
      log.warn({ err: error }, 'availability refresh failed');
    });
  }

  async function find(wanted: Wanted, run: RunLoad = (load) => load()): Promise<CachedSeatFacts> {
    const cached = await store.get(wanted.key);
    const found = cached && answerOf(wanted, cached);
    if (!found) {
      return seatFacts(await loadShared(wanted, cached?.id, run), 'miss');
    }
    if (found.ageMs >= REFRESH_AFTER * found.freshMs) refresh(wanted, found.id);
    return seatFacts(found, found.ageMs < found.freshMs ? 'hit' : 'stale');
  }

  async function drop(key: string): Promise<void> {
    // A load that started before the commit must not answer requests after it.
    for (const flight of loads.keys()) if (flight.startsWith(key)) loads.delete(flight);
    await store.invalidate(key);
  }

  return {
    async get(tourId, date, sandbox, revision, run) {
      const key = cacheKey(tourId, date, sandbox);
      const answer = await find({ tourId, date, sandbox, revision, key }, run);
      lookups({ result: answer.source }).inc();
      return answer;
    },
    async seatsVersion(tourId, sandbox, revision, run) {
      const key = cacheKey(tourId, null, sandbox);
      return (await find({ tourId, date: null, sandbox, revision, key }, run)).id;
    },
    async drop(tourId, date, sandbox) {
      await Promise.all([drop(cacheKey(tourId, date, sandbox)), drop(cacheKey(tourId, null, sandbox))]);
    },
  };
}

async function loadUnder(
  lock: LoadLock | undefined,
  db: Db,
  store: CacheStore,
  wanted: Wanted,
): Promise<Loaded> {
  const { key } = wanted;
  try {
    const entry = await loadSeatFacts(db, wanted);
    const current = lock !== undefined && (await store.put(key, lock, writeEntry(entry), entry.ttlMs));
    return { id: current ? lock.token : undefined, facts: entry.facts, ageMs: 0, current };
  } catch (error) {
    if (lock) await store.release(key, lock);
    throw error;
  }
}

function join(flights: Map<string, Flight>, wanted: Wanted, begin: () => Flight): Flight {
  const name = flightKey(wanted);
  const underway = flights.get(name);
  if (underway) return underway;
  const flight = begin().finally(() => {
    // Removes this load only if the map still contains it: after a commit has removed it, a later load may have the same name.
    if (flights.get(name) === flight) flights.delete(name);
  });
  flights.set(name, flight);
  return flight;
}

/** Returns a function that reads a cached value, and parses it only once. */
function createEntryReader(): (wanted: Wanted, cached: CachedValue) => Found | undefined {
  const entries = new LRUCache<string, { id: string; entry: StoredSeatEntry | undefined }>({
    max: ENTRIES_MAX,
  });
  return ({ key, revision }, { id, value, ageMs }) => {
    let parsed = entries.get(key);
    if (parsed?.id !== id) entries.set(key, (parsed = { id, entry: readEntry(value) }));
    const { entry } = parsed;
    // Accepts an entry of a later revision: the caller may have read the tour before a change raised the revision.
    if (!entry || entry.revision < revision) return undefined;
    return { id, facts: entry.facts, freshMs: entry.freshMs, ageMs, current: true };
  };
}

function cacheKey(tourId: string, date: string | null, sandbox: boolean): string {
  return `availability:${sandbox ? 'sandbox:' : ''}${tourId}:${date ?? 'all'}`;
}

function flightKey({ key, revision }: Wanted): string {
  return `${key}:${revision}`;
}

/** Copies the fields by name: a spread of the facts took 3 of the 9 µs of a hit. */
function seatFacts({ id, facts, ageMs }: Loaded, source: CachedSeatFacts['source']): CachedSeatFacts {
  const { departures, asOf } = facts;
  return { id, departures, asOf, source, ageSeconds: Math.floor(ageMs / 1000) };
}

/**
 * Loads the entry of a date. With date null, loads the entry of the whole tour, which contains no departures. The entry is valid until the
 * count of seats changes without a write: until the next expiry of a hold or booking, or the next closing time or start of a departure, by
 * the database's clock.
 */
async function loadSeatFacts(
  db: Db,
  { tourId, date, sandbox }: { tourId: string; date: string | null; sandbox: boolean },
): Promise<SeatEntry> {
  const { departures, revision, asOf, countedUntil } =
    date === null
      ? await findTourHorizon(db, tourId, sandbox)
      : await findDeparturesWithHorizon(db, tourId, date, sandbox);
  const horizonMs = countedUntil ? countedUntil.getTime() - asOf.getTime() : Infinity;
  const [freshMs, ttlMs] =
    date === null
      ? [TOUR_FRESH_MS, TOUR_FRESH_MS]
      : [departures.length > 0 ? FRESH_MS : ABSENT_FRESH_MS, FRESH_MS + STALE_MS];
  const facts = { departures, asOf };
  return { revision, facts, freshMs: Math.min(freshMs, horizonMs), ttlMs: Math.min(ttlMs, horizonMs) };
}

/** The form of the entries: it changes with the description of a departure. The store may hold entries of another release. */
const FORM = createHash('sha256').update(DEPARTURE_ROW.select).digest('base64url');

function writeEntry({ revision, facts, freshMs }: SeatEntry): string {
  return JSON.stringify({ form: FORM, revision, facts, freshMs });
}

/** Parses an entry. @returns undefined for a text of another form */
function readEntry(text: string): StoredSeatEntry | undefined {
  try {
    const { form, revision, freshMs, facts } = JSON.parse(text) as StoredSeatEntry & { form: string };
    if (form !== FORM) return undefined;
    const departures = facts.departures.map(DEPARTURE_ROW.fromJson);
    return { revision, freshMs, facts: { asOf: new Date(facts.asOf), departures } };
  } catch {
    return undefined;
  }
}

/** Returns a listener of changed seats that drops the cached availability of their dates. */
export function dropCached({ drop }: AvailabilityCache) {
  return async (changed: { tourId: string; date: string; sandbox: boolean }[]): Promise<void> => {
    const distinct = new Map(changed.map((one) => [cacheKey(one.tourId, one.date, one.sandbox), one]));
    await Promise.all([...distinct.values()].map(({ tourId, date, sandbox }) => drop(tourId, date, sandbox)));
  };
}
