import type { LeasedReads } from '../../platform/change-lease/leased-cache';
import type { Tenant } from '../tenants/tenant';
import { stampOf } from '../tenants/tenant-stamp';
import { getVisibleTour } from './find-visible-tour';
import { type CatalogFilter, listCatalog, type PricedCatalogPage } from './list-catalog';
import { listContinents } from './list-continents';
import type { ListedTour, Tour } from './tour';
import { tourKey } from './tour-key';

/** What the catalog says to reads, remembered while the lease holds (ADR 19). Writes ask the database. */

/** The thing itself, and an answer of text made from it by each of two routes (answerRemembered): about so many times its JSON. */
const COPIES = 4;

/** listCatalog, remembered. */
export async function recallCatalog(
  { db, leased }: LeasedReads,
  tenant: Tenant,
  filter: CatalogFilter,
): Promise<PricedCatalogPage> {
  const { limit, continent, q, after } = filter;
  const key = JSON.stringify(['page', stampOf(tenant), limit, continent, q, after]);
  return leased.recall(key, async () => {
    const page = await listCatalog(db, tenant, filter);
    const until = Math.min(...page.items.map(({ tour }) => shownUntil(tour)));
    return { value: page, until, size: kibOf(page) };
  });
}

/**
 * getVisibleTour, remembered.
 * @throws TourNotFoundError
 */
export async function recallVisibleTour(
  { db, leased }: LeasedReads,
  tenant: Tenant,
  idOrSlug: string,
): Promise<Tour> {
  // One key however a UUID is spelt.
  const key = JSON.stringify(['tour', stampOf(tenant), tourKey(idOrSlug)]);
  return leased.recall(key, async () => {
    const tour = await getVisibleTour(db, tenant, idOrSlug);
    return { value: tour, until: shownUntil(tour), size: kibOf(tour) };
  });
}

/** listContinents, remembered. */
export async function recallContinents({ db, leased }: LeasedReads, tenant: Tenant): Promise<string[]> {
  const key = JSON.stringify(['continents', stampOf(tenant)]);
  return leased.recall(key, async () => ({
    value: await listContinents(db, tenant),
    until: Infinity,
    size: 1,
  }));
}

/** Of a tour nothing but its next departure changes with the clock alone. */
function shownUntil({ nextDepartureUntil }: ListedTour): number {
  return nextDepartureUntil?.getTime() ?? Infinity;
}

/** Tours are as long as their operators write them, so each is measured; only who loads one pays for it. */
function kibOf(value: object): number {
  return Math.ceil((COPIES * JSON.stringify(value).length) / 1024);
}
