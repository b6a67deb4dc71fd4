import type { Db } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import { TourNotFoundError } from './catalog.errors';
import { type CatalogTour, type CatalogTourFilter, type Tour, tourKey } from './tour';
import { findCatalogTour, findCatalogTours, findTourForTenant, findToursById } from './tour.repository';
import { AppError } from '../../platform/errors';
import { foldName } from './fold-name';

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
 * @throws TourNotFoundError if the tour is unknown, not published, or not visible to the tenant (404)
 */
export async function getVisibleTour(db: Db, tenant: Tenant, idOrSlug: string): Promise<Tour> {
  const key = tourKey(idOrSlug);
  const tour = key && (await findTourForTenant(db, tenant, key));
  if (!tour) throw new TourNotFoundError();
  return tour;
}

/** Returns the tours with these ids, also tours that the tenant does not see any more, because the tenant has sold them. */
export async function toursOfSales(db: Db, tenant: Tenant, ids: string[]): Promise<Tour[]> {
  return findToursById(db, tenant, ids);
}
