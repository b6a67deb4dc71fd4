import type { CachedReads } from '../../platform/read-cache/read-cache';
import { type Tenant, tenantVersion } from '../tenants/tenant';
import type { CatalogFilters } from './catalog-filters';
import { findCatalogFilters, listContinents } from './catalog-filters.repository';
import { TourNotFoundError } from './catalog.errors';
import { canonicalTourId, getVisibleTour } from './find-tour';
import {
  type CatalogFilter,
  listCatalog,
  type PricedCatalogPage,
  type PricedCatalogTour,
} from './list-catalog';
import { findTimesOfNextDates } from './next-departures.repository';
import { type DateTimes, type ListedTour, type Tour, tourKey } from './tour';
import { type ShownLanguages, translateTour, type PreferredLanguages } from './tour-text';
import { findTranslations } from './translation.repository';

/** The memory of a cached entry is estimated as this multiple of the length of its JSON. */
const COPIES = 2;

/** Returns the result of listCatalog, from the cache if possible. A cached page ends as shownUntil says. */
export async function cachedCatalog(
  { db, cache }: CachedReads,
  tenant: Tenant,
  filter: CatalogFilter,
): Promise<PricedCatalogPage> {
  const key = JSON.stringify(['page', tenantVersion(tenant), filter]);
  return cache.get(key, async () => {
    const page = await listCatalog(db, tenant, filter);
    return { value: page, until: shownUntil(page.items.map(({ tour }) => tour)), size: kibOf(page) };
  });
}

/**
 * Returns the result of findTimesOfNextDates for a page of cachedCatalog. Caches the result separately from the page, so it may be newer
 * than the page. The caller must compare the dates of both.
 */
export async function cachedTimesOfNextDates(
  { db, cache }: CachedReads,
  items: PricedCatalogTour[],
): Promise<Map<string, DateTimes>> {
  const tours = items.map(({ tour }) => tour);
  const dates = tours.map(({ id, nextDepartureDate, firstClosingAt }) => [
    id,
    nextDepartureDate,
    firstClosingAt,
  ]);
  return cache.get(JSON.stringify(['times', dates]), async () => {
    const times = await findTimesOfNextDates(db, tours);
    return { value: times, until: shownUntil(tours), size: kibOf([...times]) };
  });
}

/**
 * Returns the result of getVisibleTour, from the cache if possible.
 * @throws TourNotFoundError
 */
export async function cachedVisibleTour(
  { db, cache }: CachedReads,
  tenant: Tenant,
  idOrSlug: string,
): Promise<Tour> {
  // tourKey() makes the key the same for a UUID in upper and in lower case.
  const key = JSON.stringify(['tour', tenantVersion(tenant), tourKey(idOrSlug)]);
  return cache.get(key, async () => {
    const tour = await getVisibleTour(db, tenant, idOrSlug);
    return { value: tour, until: shownUntil([tour]), size: kibOf(tour) };
  });
}

/**
 * Returns the result of canonicalTourId, from the cache for a tour that the tenant sees.
 * @param idOrSlug UUID in any case, or slug
 */
export async function cachedTourId(
  reads: CachedReads,
  tenant: Tenant,
  idOrSlug: string,
): Promise<string | null> {
  try {
    return (await cachedVisibleTour(reads, tenant, idOrSlug)).id;
  } catch (error) {
    if (!(error instanceof TourNotFoundError)) throw error;
    return canonicalTourId(reads.db, idOrSlug);
  }
}

/**
 * Returns the tour with its texts in the preferred languages. Reads the translations from the cache if possible.
 * @param preferred undefined: returns the tour as it is
 */
export async function showTour(
  { db, cache }: CachedReads,
  tour: Tour,
  preferred: PreferredLanguages | undefined,
): Promise<{ tour: Tour; shown?: ShownLanguages }> {
  if (!preferred) return { tour };
  const key = JSON.stringify(['translations', tour.id, preferred]);
  const translations = await cache.get(key, async () => {
    const found = (await findTranslations(db, [tour.id], preferred)).get(tour.id) ?? {};
    return { value: found, until: Infinity, size: kibOf(found) };
  });
  return translateTour(tour, translations, preferred);
}

/** Returns the continents of the tours that the tenant sees, from the cache if possible. */
export async function cachedContinents({ db, cache }: CachedReads, tenant: Tenant): Promise<string[]> {
  const key = JSON.stringify(['continents', tenantVersion(tenant)]);
  return cache.get(key, async () => ({
    value: await listContinents(db, tenant),
    until: Infinity,
    size: 1,
  }));
}

/** Returns the filters of the tenant's catalog from the cache, and the time until which they stay the same without a write. */
export async function cachedFilters(
  { db, cache }: CachedReads,
  tenant: Tenant,
): Promise<{ filters: CatalogFilters; until: number }> {
  const key = JSON.stringify(['filters', tenantVersion(tenant)]);
  return cache.get(key, async () => {
    const { firstClosingAt, ...filters } = await findCatalogFilters(db, tenant);
    const until = firstClosingAt?.getTime() ?? Infinity;
    return { value: { filters, until }, until, size: kibOf(filters) };
  });
}

/**
 * Returns the time until which the tours stay the same if nothing is written, in milliseconds since the epoch. The next departures and the
 * lowest prices may change when a departure closes. The time of a full refund passes by itself.
 */
export function shownUntil(tours: ListedTour[]): number {
  const ends = tours.flatMap(({ firstClosingAt, fullRefundUntil }) => [firstClosingAt, fullRefundUntil]);
  return Math.min(...ends.map((end) => end?.getTime() ?? Infinity));
}

/** Estimates the memory in KiB from the JSON, because the length of tours varies. Runs only when an entry is loaded. */
function kibOf(value: object): number {
  return Math.ceil((COPIES * JSON.stringify(value).length) / 1024);
}
