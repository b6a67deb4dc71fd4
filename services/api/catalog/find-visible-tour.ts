import type { Db } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import { TourNotFoundError } from './catalog.errors';
import { type Tour, tourKey } from './tour';

import { findTourForTenant } from './tour.repository';

/**
 * Finds a tour that this tenant sees.
 * @param idOrSlug UUID in any case, or slug
 * @throws TourNotFoundError if unknown, unpublished or not visible (404)
 */
export async function getVisibleTour(db: Db, tenant: Tenant, idOrSlug: string): Promise<Tour> {
  const key = tourKey(idOrSlug);
  const tour = key && (await findTourForTenant(db, tenant, key));
  if (!tour) throw new TourNotFoundError();
  return tour;
}
