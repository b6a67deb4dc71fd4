import { refuseWhenLocked, type Trx } from '../../platform/database';
import { findTour } from '../catalog/find-tour';
import type { CatalogTour, TourStatus } from '../catalog/tour';
import { lockTourWithDepartures, updateTourStatus } from './apply.repository';
import { CatalogBusyError } from './import.errors';

/**
 * Publishes or archives a tour. Locks its departures before the tour, as an import that changes the status does, so that each sale is made
 * entirely before or after the change. Holds and bookings stay.
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
