import type { Trx } from '../../platform/database';
import type { Departure } from './departure';
import { changeDeparture, findStandingBookings, type StandingBooking } from './departure-admin.repository';
import { lockTourDeparture, type TourOfDeparture } from './lock-tour-departure';

export interface ChangedDeparture {
  before: Departure;
  after: Departure;
}

/**
 * Takes a departure off sale for good or until it is reopened. Its bookings stay as they are: the answer names those
 * whose customers are to be told.
 * @param date YYYY-MM-DD
 * @throws DepartureNotFoundError, DepartureBusyError
 */
export async function cancelDeparture(
  trx: Trx,
  tour: TourOfDeparture,
  date: string,
): Promise<ChangedDeparture & { bookings: StandingBooking[] }> {
  const before = await lockTourDeparture(trx, tour, date);
  if (!before.cancelled) await changeDeparture(trx, before, { status: 'cancelled' });
  return {
    before,
    after: { ...before, cancelled: true },
    bookings: await findStandingBookings(trx, before.id),
  };
}

/**
 * Puts a cancelled departure on sale again, with the seats that are left.
 * @param date YYYY-MM-DD
 * @throws DepartureNotFoundError, DepartureBusyError
 */
export async function reopenDeparture(
  trx: Trx,
  tour: TourOfDeparture,
  date: string,
): Promise<ChangedDeparture> {
  const before = await lockTourDeparture(trx, tour, date);
  if (before.cancelled) await changeDeparture(trx, before, { status: 'scheduled' });
  return { before, after: { ...before, cancelled: false } };
}
