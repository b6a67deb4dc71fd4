import type { Db } from '../../platform/database/database';
import type { CachedReads } from '../../platform/read-cache/read-cache';
import { isUuid } from '../../platform/forms/text-forms';
import { cachedVisibleTour } from '../catalog/cached-catalog';
import { TourNotFoundError } from '../catalog/catalog.errors';
import { getTourShownByRules } from '../catalog/find-tour';
import type { Tour } from '../catalog/tour';
import { findOnlyLiveHold, getHolds } from '../holds/find-hold';
import type { Tenant } from '../tenants/tenant';

/** The parts of a request that may name a hold. */
interface NamedSeats {
  /** In lower case. Null: not named. */
  holdId: string | null;
  externalRef: string | null;
  departureDate: string | null;
  departureTime?: string;
}

/**
 * Finds the tour of a booking. A tour whose rate is missing is not visible, but a hold of this tour stays bookable, because its prices are
 * locked.
 * @param idOrSlug UUID in any case, or slug
 * @throws TourNotFoundError (404)
 */
export async function findTourToBook(
  reads: CachedReads,
  tenant: Tenant,
  idOrSlug: string,
  request: NamedSeats,
): Promise<Tour> {
  try {
    return await cachedVisibleTour(reads, tenant, idOrSlug);
  } catch (error) {
    if (!(error instanceof TourNotFoundError) || tenant.sellIn === null) throw error;
    const tour = await getTourShownByRules(reads.db, tenant, idOrSlug);
    if (!(await namesHoldOf(reads.db, tenant, tour.id, request))) throw error;
    return tour;
  }
}

/** Returns true if the booking names a hold of the tour: a hold of the tenant by its id, or the only live one by its reference. */
async function namesHoldOf(
  db: Db,
  tenant: Tenant,
  tourId: string,
  { holdId, externalRef, departureDate, departureTime }: NamedSeats,
): Promise<boolean> {
  if (holdId !== null) {
    const named = isUuid(holdId) ? await getHolds(db, tenant.id, [holdId]) : [];
    return named.some(({ tour }) => tour.id === tourId);
  }
  if (!externalRef) return false;
  const reference = { tourId, externalRef, departureDate, departureTime };
  return (await findOnlyLiveHold(db, tenant.id, reference)) !== null;
}
