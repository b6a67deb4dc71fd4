import type { Db } from '../../platform/database';
import { UnknownTourError } from './unknown-tour.errors';
import type { CatalogTour } from './catalog-tour';
import { findCatalogTour } from './catalog-tour.repository';
import { tourKey } from './tour-key';

/**
 * A tour for an operator, whatever its status.
 * @param idOrSlug UUID in any case, or slug
 * @throws UnknownTourError
 */
export async function findTour(db: Db, idOrSlug: string): Promise<CatalogTour> {
  const key = tourKey(idOrSlug);
  const tour = key && (await findCatalogTour(db, key));
  if (!tour) throw new UnknownTourError(idOrSlug);
  return tour;
}
