import type { CacheStore } from '../../platform/cache-store';
import type { Logger } from '../../platform/logger';
import type { Db } from '../../platform/database';
import type { Departure } from './departure';
import { findDepartureWithHorizon } from './departure.repository';

const FRESH_MS = 10_000;
const STALE_MS = 60_000;
const ABSENT_FRESH_MS = 5_000;

/** What the cache knows of a date: facts that are the same for every tenant, or that there is no departure. */
export interface SeatFacts {
  departure: Departure | undefined;
  asOf: Date;
}

export interface CachedSeatFacts extends SeatFacts {
  source: 'hit' | 'stale' | 'miss';
  ageSeconds: number;
}

export interface AvailabilityCache {
  /** @param revision the tour's: an entry from before a change made in the terminal is no answer, on any instance */
  get(tourId: string, date: string, revision: number): Promise<CachedSeatFacts>;
  /** After a commit that changed the seats of this date. */
  drop(tourId: string, date: string): Promise<void>;
}

interface Entry {
  revision: number;
  facts: SeatFacts;
  loadedAt: number;
  freshUntil: number;
}

/**
 * Seat facts by departure, fresh for 10 s, then stale for 60 s more while one refresh runs, but never past the first
 * instant at which something that was counted ends (CONTRACT section 3, Availability). Holds and bookings never read it.
 */
export function createAvailabilityCache(db: Db, store: CacheStore, log: Logger): AvailabilityCache {
  const loading = new Map<string, Promise<Entry>>();

  async function load(tourId: string, date: string, revision: number): Promise<Entry> {
    const key = cacheKey(tourId, date);
    const fence = await store.fence(key);
    // The process's clock measures ages only; how far away the horizon is, the database says. Measured from before the
    // question, so that a slow answer does not outlive what it counted.
    const asked = Date.now();
    const { departure, asOf, countedUntil } = await findDepartureWithHorizon(db, tourId, date);
    const horizon = countedUntil ? countedUntil.getTime() - asOf.getTime() : Infinity;
    const fresh = Math.min(departure ? FRESH_MS : ABSENT_FRESH_MS, horizon);
    const entry = { revision, facts: { departure, asOf }, loadedAt: asked, freshUntil: asked + fresh };
    await store.put(key, entry, Math.min(FRESH_MS + STALE_MS, horizon) - (Date.now() - asked), fence);
    return entry;
  }

  /** All callers of one date share one load. */
  function loadOnce(tourId: string, date: string, revision: number): Promise<Entry> {
    const flightKey = `${cacheKey(tourId, date)}:${revision}`;
    const underway = loading.get(flightKey);
    if (underway) return underway;
    const flight = load(tourId, date, revision).finally(() => {
      // Dropped meanwhile, its place may belong to a later load.
      if (loading.get(flightKey) === flight) loading.delete(flightKey);
    });
    loading.set(flightKey, flight);
    return flight;
  }

  return {
    async get(tourId, date, revision) {
      const cached = await store.get<Entry>(cacheKey(tourId, date));
      if (!cached || cached.revision !== revision) {
        const { facts } = await loadOnce(tourId, date, revision);
        return { ...facts, source: 'miss', ageSeconds: 0 };
      }
      const now = Date.now();
      const ageSeconds = Math.floor((now - cached.loadedAt) / 1000);
      if (now < cached.freshUntil) return { ...cached.facts, source: 'hit', ageSeconds };
      loadOnce(tourId, date, revision).catch((error: unknown) => {
        log.warn({ err: error }, 'availability refresh failed');
      });
      return { ...cached.facts, source: 'stale', ageSeconds };
    },
    async drop(tourId, date) {
      // A load that began before the commit must not answer those who ask after it.
      for (const key of loading.keys()) if (key.startsWith(cacheKey(tourId, date))) loading.delete(key);
      await store.invalidate(cacheKey(tourId, date));
    },
  };
}

function cacheKey(tourId: string, date: string): string {
  return `availability:${tourId}:${date}`;
}
