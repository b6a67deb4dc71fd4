import { refuseWhenLocked, type Trx } from '../../platform/database/database';
import { findTour } from '../catalog/find-tour';
import type { CatalogTour, TourStatus } from '../catalog/tour';
import { CatalogBusyError } from './import.errors';

/**
 * Publishes or archives a tour. Locks the departures of the tour before the tour, in the same order as an import. So each sale is made
 * entirely before or entirely after the change. Holds and bookings stay.
 * @throws UnknownTourError, CatalogBusyError
 */
export async function changeTourStatus(
  trx: Trx,
  { id }: { id: string },
  status: TourStatus,
): Promise<{ before: CatalogTour; after: CatalogTour }> {
  await refuseWhenLocked('tour', lockTourWithDepartures(trx, id), () => new CatalogBusyError());
  const before = await findTour(trx, id);
  if (before.status === status) return { before, after: before };
  await updateTourStatus(trx, id, status);
  return { before, after: await findTour(trx, id) };
}

/** Locks the departures before the tour, in the order of their ids, as lockStaged of an import does. */
async function lockTourWithDepartures(trx: Trx, id: string): Promise<void> {
  await trx('departures').select('id').where({ tour_id: id }).orderBy('id').forUpdate();
  await trx('tours').select('id').where({ id }).forNoKeyUpdate();
}

/** Sets the status of a tour whose lock the caller holds. */
async function updateTourStatus(trx: Trx, id: string, status: TourStatus): Promise<void> {
  const changes = { updated_at: trx.raw('clock_timestamp()'), revision: trx.raw('revision + 1') };
  await trx('tours')
    .where({ id })
    .update({ status, ...changes });
}
