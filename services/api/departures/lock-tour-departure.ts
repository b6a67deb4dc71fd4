import type { Trx } from '../../platform/database';
import type { Departure } from './departure';
import { DepartureNotFoundError } from './departure-admin.errors';
import { findDepartureId } from './departure-admin.repository';
import { findDepartureById } from './departure.repository';
import { relockDeparture } from './reserve-seats';

/** What a command must know of the tour whose departure it changes. */
export interface TourOfDeparture {
  id: string;
  slug: string;
}

/**
 * The departure for a change from the terminal: nobody takes or frees its seats until the transaction ends.
 * @param date YYYY-MM-DD
 * @throws DepartureNotFoundError, DepartureBusyError
 */
export async function lockTourDeparture(trx: Trx, tour: TourOfDeparture, date: string): Promise<Departure> {
  const id = await findDepartureId(trx, tour.id, date);
  if (id === undefined) throw new DepartureNotFoundError(tour.slug, date);
  const { at } = await relockDeparture(trx, id);
  const departure = await findDepartureById(trx, id, at);
  // An import removed it while this waited for the lock.
  if (!departure) throw new DepartureNotFoundError(tour.slug, date);
  return departure;
}
