import type { Db } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import { TourNotFoundError } from './catalog.errors';
import type { Tour } from './tour';
import { tourKey } from './tour-key';
import { findTourForTenant } from './tour.repository';

/**
 * The tour as this tenant sees it.
 * @param idOrSlug UUID in any case, or slug; any other text is not a tour
 * @throws TourNotFoundError unknown, unpublished or invisible alike (404)
 */
export async function getVisibleTour(db: Db, tenant: Tenant, idOrSlug: string): Promise<Tour> {
  const key = tourKey(idOrSlug);
  const tour = key && (await findTourForTenant(db, tenant, key));
  if (!tour) throw new TourNotFoundError();
  return tour;
}
