import type { Db } from '../../platform/database';
import type { CatalogTour, CatalogTourFilter } from './catalog-tour';
import { findCatalogTours } from './catalog-tour.repository';
import { foldName } from './fold-name';

/** The catalog as operators see it, by name. */
export async function listTours(
  db: Db,
  { q, ...filter }: Omit<CatalogTourFilter, 'nameContains'> & { q?: string },
): Promise<CatalogTour[]> {
  return findCatalogTours(db, { ...filter, nameContains: q === undefined ? undefined : foldName(q) });
}
