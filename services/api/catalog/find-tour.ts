import type { Db } from '../../platform/database/database';
import type { Tenant } from '../tenants/tenant';
import { TourNotFoundError } from './catalog.errors';
import { type CatalogTour, type CatalogTourFilter, type Tour, tourKey } from './tour';
import {
  findCatalogTour,
  findCatalogTours,
  findTourForTenant,
  findTourId,
  findToursById,
} from './tour.repository';
import { AppError } from '../../platform/errors';
import { foldName } from '../../platform/forms/fold-name';

/**
 * Finds a tour for an operator, with any status.
 * @param idOrSlug UUID in any case, or slug
 * @throws UnknownTourError
 */
export async function findTour(db: Db, idOrSlug: string): Promise<CatalogTour> {
  const key = tourKey(idOrSlug);
  const tour = key && (await findCatalogTour(db, key));
  if (!tour) throw new UnknownTourError(idOrSlug);
  return tour;
}

/** An operator named an unknown tour. Tenants get TourNotFoundError. */
class UnknownTourError extends AppError {
  readonly code = 'tour_not_found';

  constructor(idOrSlug: string) {
    super(`There is no tour "${idOrSlug}"`);
  }
}

/**
 * Lists the catalog for operators, by name.
 * @param filter `after`: slug of the last tour of the previous page
 * @throws UnknownTourError if `after` is unknown
 */
export async function listTours(
  db: Db,
  { q, after, ...filter }: Omit<CatalogTourFilter, 'nameContains'> & { q?: string },
): Promise<CatalogTour[]> {
  return findCatalogTours(db, {
    ...filter,
    nameContains: q === undefined ? undefined : foldName(q),
    after: after === undefined ? undefined : (await findTour(db, after)).id,
  });
}

/**
 * Finds a tour that this tenant sees.
 * @param idOrSlug UUID in any case, or slug
 * @throws TourNotFoundError if the tour is unknown, not published, or not visible to the tenant, or if its rate is missing (404)
 */
export async function getVisibleTour(db: Db, tenant: Tenant, idOrSlug: string): Promise<Tour> {
  const key = tourKey(idOrSlug);
  const tour = key && (await findTourForTenant(db, tenant, key));
  if (!tour) throw new TourNotFoundError();
  return tour;
}

/**
 * Returns the id of a tour, also of one that the tenant does not see. Only for the comparison of a request with an earlier one of the
 * tenant: no answer may depend on it in another way. Null: there is no such tour.
 * @param idOrSlug UUID in any case, or slug
 */
export async function canonicalTourId(db: Db, idOrSlug: string): Promise<string | null> {
  const key = tourKey(idOrSlug);
  return (key && (await findTourId(db, key))) ?? null;
}

/**
 * Finds a tour that the visibility rules show to this tenant. A tour whose rate is missing is found too: its holds stay bookable.
 * @param idOrSlug UUID in any case, or slug
 * @throws TourNotFoundError (404)
 */
export async function getTourShownByRules(db: Db, tenant: Tenant, idOrSlug: string): Promise<Tour> {
  return getVisibleTour(db, { ...tenant, sellIn: null, sellInDigits: null }, idOrSlug);
}

/**
 * Checks that the tenant sells the tour at this price.
 * @throws TourNotFoundError if the price is undefined (Quoter has the reasons) (404)
 */
export function assertSellable<Price>(price: Price | undefined): Price {
  if (!price) throw new TourNotFoundError();
  return price;
}

/** Returns the tours with these ids, also tours that the tenant does not see any more, because the tenant has sold them. */
export async function toursOfSales(db: Db, tenant: Tenant, ids: string[]): Promise<Tour[]> {
  return findToursById(db, tenant, ids);
}
