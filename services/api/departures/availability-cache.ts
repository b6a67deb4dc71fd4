import { setTimeout as sleep } from 'node:timers/promises';
import { Counter } from 'prom-client';
import type { CacheStore, CachedValue, Lease } from '../../platform/cache-store';
import type { Logger } from '../../platform/logger';
import type { Db } from '../../platform/database';
import { loadSeatFacts } from './load-seat-facts';
import { readEntry, type SeatFacts, writeEntry } from './seat-facts';

/** From here on a hit also refreshes: so a date that is asked all the time is never stale. */
const EARLY = 0.9;
/** How long a date that another instance is loading is waited for, before it is loaded here as well. */
const WAIT_MS = 1_000;
/** Doubled at each look, up to POLL_MAX_MS. */
const POLL_MS = 4;
const POLL_MAX_MS = 32;

export interface CachedSeatFacts extends SeatFacts {
  source: 'hit' | 'stale' | 'miss';
  ageSeconds: number;
}

export interface AvailabilityCache {
  /** @param revision the tour's: an entry from before a change made in the terminal is no answer, on any instance */
  get(tourId: string, date: string, revision: number): Promise<CachedSeatFacts>;
  /** After a commit that changed the seats of this date. Never rejects, and takes no longer than the store may. */
  drop(tourId: string, date: string): Promise<void>;
}

interface Wanted {
  tourId: string;
  date: string;
  revision: number;
  key: string;
}

interface Loaded {
  facts: SeatFacts;
  ageMs: number;
  /** The store had it when the load ended: nobody has sold a seat since it began. */
  current: boolean;
}

interface Found extends Loaded {
  id: string;
  freshMs: number;
}

type Flight = Promise<Loaded | undefined>;

const lookups = new Counter({
  name: 'availability_lookups_total',
  help: 'Availability checks by what the cache had.',
  labelNames: ['result'],
});

/**
 * Seat facts by departure, fresh for 10 s, then stale for 60 s more while one refresh runs, but never past the first
 * instant at which something that was counted ends (CONTRACT section 3, Availability). One load at a time for all instances
 * of the store. Holds and bookings never read it.
 */
export function createAvailabilityCache(db: Db, store: CacheStore, log: Logger): AvailabilityCache {
  const loads = new Map<string, Flight>();
  const refreshes = new Map<string, Flight>();

  const load = (wanted: Wanted, lease: Lease | undefined) => loadUnder(lease, db, store, wanted);

  /**
   * Loads, unless another instance does. It has `patience` milliseconds, after which we load as well; where it has none, nobody
   * waits for what it loads.
   */
  async function loadOrAwait(wanted: Wanted, seen: string | undefined, patience: number): Flight {
    const until = performance.now() + patience;
    let judged = seen;
    for (let pause = POLL_MS; ; pause = Math.min(2 * pause, POLL_MAX_MS)) {
      const claim = await store.claim(wanted.key, judged);
      if (claim.outcome === 'load') return load(wanted, claim.lease);
      const found = claim.outcome === 'found' ? answerOf(claim.found, wanted.revision) : undefined;
      if (found) return found;
      if (claim.outcome === 'found') judged = claim.found.id;
      if (performance.now() >= until) break;
      if (claim.outcome === 'busy') await sleep(pause * (0.5 + Math.random()));
    }
    return patience > 0 ? load(wanted, undefined) : undefined;
  }

  /** All of this process share one answer, and whoever joined late makes sure that it is not from before he asked. */
  async function loadShared(wanted: Wanted, seen: string | undefined): Promise<Loaded> {
    const underway = loads.get(flightKey(wanted));
    if (underway) {
      const loaded = (await underway)!;
      if (loaded.current) return loaded;
    }
    return (await join(loads, wanted, () => loadOrAwait(wanted, seen, WAIT_MS)))!;
  }

  function refresh(wanted: Wanted, seen: string): void {
    join(refreshes, wanted, () => loadOrAwait(wanted, seen, 0)).catch((error: unknown) => {
      log.warn({ err: error }, 'availability refresh failed');
    });
  }

  async function find(wanted: Wanted): Promise<CachedSeatFacts> {
    const cached = await store.get(wanted.key);
    const found = cached && answerOf(cached, wanted.revision);
    if (!found) {
      const { facts, ageMs } = await loadShared(wanted, cached?.id);
      return { ...facts, source: 'miss', ageSeconds: seconds(ageMs) };
    }
    const { id, facts, ageMs, freshMs } = found;
    if (ageMs >= EARLY * freshMs) refresh(wanted, id);
    return { ...facts, source: ageMs < freshMs ? 'hit' : 'stale', ageSeconds: seconds(ageMs) };
  }

  return {
    async get(tourId, date, revision) {
      const answer = await find({ tourId, date, revision, key: cacheKey(tourId, date) });
      lookups.inc({ result: answer.source });
      return answer;
    },
    async drop(tourId, date) {
      const key = cacheKey(tourId, date);
      // A load that began before the commit must not answer those who ask after it.
      for (const flight of loads.keys()) if (flight.startsWith(key)) loads.delete(flight);
      await store.invalidate(key);
    },
  };
}

async function loadUnder(
  lease: Lease | undefined,
  db: Db,
  store: CacheStore,
  { tourId, date, revision, key }: Wanted,
): Promise<Loaded> {
  try {
    const entry = await loadSeatFacts(db, tourId, date, revision);
    const current = lease !== undefined && (await store.put(key, lease, writeEntry(entry), entry.ttlMs));
    return { facts: entry.facts, ageMs: 0, current };
  } catch (error) {
    if (lease) await store.release(key, lease);
    throw error;
  }
}

function join(flights: Map<string, Flight>, wanted: Wanted, begin: () => Flight): Flight {
  const name = flightKey(wanted);
  const underway = flights.get(name);
  if (underway) return underway;
  const flight = begin().finally(() => {
    // Dropped meanwhile, its place may belong to a later load.
    if (flights.get(name) === flight) flights.delete(name);
  });
  flights.set(name, flight);
  return flight;
}

function answerOf({ id, value, ageMs }: CachedValue, revision: number): Found | undefined {
  const entry = readEntry(value);
  if (entry?.revision !== revision) return undefined;
  return { id, facts: entry.facts, freshMs: entry.freshMs, ageMs, current: true };
}

function cacheKey(tourId: string, date: string): string {
  return `availability:1:${tourId}:${date}`;
}

function flightKey({ key, revision }: Wanted): string {
  return `${key}:${revision}`;
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
