import type { Trx } from '../../platform/database';
import type { Departure } from './departure';
import {
  changeDeparture,
  countLiveHoldsOf,
  findStandingBookings,
  type StandingBooking,
} from './departure-admin.repository';
import { lockTourDeparture, type TourOfDeparture } from './lock-tour-departure';

export type { StandingBooking };

export interface ChangedDeparture {
  before: Departure;
  after: Departure;
}

export interface CancelledDeparture extends ChangedDeparture {
  bookings: StandingBooking[];
  live: { holds: number; seats: number };
}

/**
 * Takes a departure off sale for good or until it is reopened. Its bookings stay as they are: the answer names those
 * whose customers are to be told, the oldest first. So do its live holds, but no booking can be made of them.
 * @param date YYYY-MM-DD
 * @throws DepartureNotFoundError, DepartureBusyError
 */
export async function cancelDeparture(
  trx: Trx,
  tour: TourOfDeparture,
  date: string,
): Promise<CancelledDeparture> {
  const before = await lockTourDeparture(trx, tour, date);
  if (!before.cancelled) await changeDeparture(trx, before, { status: 'cancelled' });
  return {
    before,
    after: { ...before, cancelled: true },
    bookings: await findStandingBookings(trx, before.id),
    live: await countLiveHoldsOf(trx, before.id),
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
