import type { CachedReads } from '../../platform/read-cache/read-cache';
import { type Tenant, tenantVersion } from '../tenants/tenant';
import { getVisibleTour } from './find-tour';
import { type CatalogFilters, findCatalogFilters, listContinents } from './catalog-filters.repository';
import { findCatalogPage } from './catalog-page.repository';
import type { CatalogSort, PagePosition, TourSelection } from './tour-selection';
import { type ListedTour, type Tour, tourKey } from './tour';
import type { Db } from '../../platform/database';
import { createQuoter, type Quoter } from '../pricing/quote-tenant-price';
import { foldName } from './fold-name';

interface CatalogFilter extends Omit<TourSelection, 'nameContains'> {
  limit: number;
  /** Part of the name, in any case, with or without accents. */
  q?: string;
  sort?: CatalogSort;
  after?: PagePosition;
}

export interface PricedCatalogTour {
  tour: ListedTour;
  /** See priceFrom. */
  priceFromMinor: number;
}

/** One page of the catalog with the tenant's visibility and prices. */
interface PricedCatalogPage {
  items: PricedCatalogTour[];
  /** The last item, where the next page starts; null at the end of the list. */
  last: PagePosition | null;
}

export async function listCatalog(
  db: Db,
  tenant: Tenant,
  { limit, q, ...filter }: CatalogFilter,
): Promise<PricedCatalogPage> {
  const nameContains = q === undefined ? undefined : foldName(q);
  const tours = await findCatalogPage(db, tenant, { ...filter, limit: limit + 1, nameContains });
  const page = tours.slice(0, limit);
  const quote = await createQuoter(
    db,
    tenant,
    page.map(({ tour }) => tour.id),
  );
  const items = page.map(({ tour }) => ({ tour, priceFromMinor: priceFrom(tour, quote) }));
  return { items, last: tours.length > limit ? page.at(-1)!.position : null };
}

/**
 * Returns the tenant's lowest price of one adult on an open departure of the tour, in minor units; without one, the base price
 * through the tenant's layer.
 */
export function priceFrom(tour: ListedTour, quote: Quoter): number {
  const prices = tour.lowestPrices.map(({ date, adult }) => quote(tour, { adult }, date).tenant.adult);
  if (prices.length === 0) return quote(tour, { adult: tour.basePriceMinor }, null).tenant.adult;
  return Math.min(...prices);
}

/** Estimated memory of a cached entry, as a multiple of the length of its JSON. */
const COPIES = 2;

/** Returns listCatalog from the cache. */
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
    return { value: tour, until: shownUntil([tour]), size: kibOf(tour) };
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

/** Returns what the tenant's catalog can be filtered by, from the cache, and the time until which that holds without a write. */
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
 * Returns the time until which the tours stay the same without a write, in milliseconds since the epoch: only their next
 * departures and lowest prices depend on the clock, and they change when a departure closes.
 */
export function shownUntil(tours: ListedTour[]): number {
  return Math.min(...tours.map(({ firstClosingAt }) => firstClosingAt?.getTime() ?? Infinity));
}

/** Measures the size in KiB, because the length of tours varies. Only a load computes it. */
function kibOf(value: object): number {
  return Math.ceil((COPIES * JSON.stringify(value).length) / 1024);
}
