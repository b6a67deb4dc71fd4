import type { CachedReads } from '../../platform/read-cache/read-cache';
import { type Tenant, tenantVersion } from '../tenants/tenant';

import { getVisibleTour } from './find-visible-tour';
import { type CatalogFilter, listCatalog, type PricedCatalogPage } from './list-catalog';
import { listContinents } from './tour.repository';
import { type ListedTour, type Tour, tourKey } from './tour';

/** Catalog reads that are cached while the read cache is valid (ADR 19). Writes ask the database. */

/** Memory of an entry, in multiples of its JSON: the object and the serialised answers of two routes (answerCached). */
const COPIES = 4;

/** Returns listCatalog from the cache. */
export async function cachedCatalog(
  { db, cache }: CachedReads,
  tenant: Tenant,
  filter: CatalogFilter,
): Promise<PricedCatalogPage> {
  const { limit, continent, q, after } = filter;
  const key = JSON.stringify(['page', tenantVersion(tenant), limit, continent, q, after]);
  return cache.get(key, async () => {
    const page = await listCatalog(db, tenant, filter);
    const until = Math.min(...page.items.map(({ tour }) => shownUntil(tour)));
    return { value: page, until, size: kibOf(page) };
  });
}

/**
 * Returns getVisibleTour from the cache.
 * @throws TourNotFoundError
 */
export async function cachedVisibleTour(
  { db, cache }: CachedReads,
  tenant: Tenant,
  idOrSlug: string,
): Promise<Tour> {
  // Upper and lower case of a UUID share one key.
  const key = JSON.stringify(['tour', tenantVersion(tenant), tourKey(idOrSlug)]);
  return cache.get(key, async () => {
    const tour = await getVisibleTour(db, tenant, idOrSlug);
    return { value: tour, until: shownUntil(tour), size: kibOf(tour) };
  });
}

/** Returns listContinents from the cache. */
export async function cachedContinents({ db, cache }: CachedReads, tenant: Tenant): Promise<string[]> {
  const key = JSON.stringify(['continents', tenantVersion(tenant)]);
  return cache.get(key, async () => ({
    value: await listContinents(db, tenant),
    until: Infinity,
    size: 1,
  }));
}

/** Returns the time until which the tour stays the same without a write: only its next departure depends on the clock. */
function shownUntil({ nextDepartureUntil }: ListedTour): number {
  return nextDepartureUntil?.getTime() ?? Infinity;
}

/** Measures the size in KiB, because the length of tours varies. Only a load computes it. */
function kibOf(value: object): number {
  return Math.ceil((COPIES * JSON.stringify(value).length) / 1024);
}
