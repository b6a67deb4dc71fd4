import type { Trx } from '../../platform/database/database';

/**
 * Increments the revisions of the tours whose holds and bookings the terminal has changed. From the commit on, no instance uses its cached
 * availability of these tours. The terminal is a separate process, so it cannot clear these caches itself.
 * @param changed the changed dates. A change of a departure itself has raised the revision already (`inCatalog`)
 */
export async function raiseRevisions(
  trx: Trx,
  changed: { tourId: string; inCatalog?: true }[],
): Promise<void> {
  const bySales = changed.filter(({ inCatalog }) => !inCatalog);
  const tourIds = [...new Set(bySales.map(({ tourId }) => tourId))].sort();
  for (const id of tourIds) await trx('tours').where({ id }).increment('revision', 1);
}
