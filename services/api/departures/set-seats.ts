import type { Trx } from '../../platform/database';
import type { ChangedDeparture } from './cancel-departure';
import { changeDeparture } from './departure-admin.repository';
import { SeatsTakenError } from './departure-admin.errors';
import { lockTourDeparture, type TourOfDeparture } from './lock-tour-departure';

/**
 * @param date YYYY-MM-DD
 * @param seatsTotal 1 to 100000
 * @throws SeatsTakenError where more are held or booked; DepartureNotFoundError, DepartureBusyError
 */
export async function setSeats(
  trx: Trx,
  tour: TourOfDeparture,
  date: string,
  seatsTotal: number,
): Promise<ChangedDeparture> {
  const before = await lockTourDeparture(trx, tour, date);
  if (seatsTotal < before.seatsTaken) throw new SeatsTakenError(tour.slug, date, before.seatsTaken);
  if (seatsTotal !== before.seatsTotal) await changeDeparture(trx, before, { seatsTotal });
  return { before, after: { ...before, seatsTotal } };
}
