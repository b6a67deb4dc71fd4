import type { Db } from '../../platform/database';
import type { CatalogTour, CatalogTourFilter } from './catalog-tour';
import { findCatalogTours } from './catalog-tour.repository';
import { findTour } from './find-tour';
import { foldName } from './fold-name';

/**
 * The catalog as operators see it, by name.
 * @param filter `after`: slug of the tour behind which it goes on
 * @throws UnknownTourError of `after`
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
