import type { Db } from '../../platform/database';
import type { Departure } from './departure';
import { DepartureNotFoundError } from './departure-admin.errors';
import { type DeparturePage, findDepartures } from './departure.repository';
import type { TourOfDeparture } from './lock-tour-departure';

/** The departures of a tour for an operator, cancelled and past ones too, by date; no tenant's prices. */
export async function listTourDepartures(
  db: Db,
  tourId: string,
  page: Pick<DeparturePage, 'from' | 'to' | 'afterDate' | 'limit'>,
): Promise<Departure[]> {
  return findDepartures(db, tourId, page);
}

/**
 * One departure, cancelled or past as it may be.
 * @param date YYYY-MM-DD
 * @throws DepartureNotFoundError
 */
export async function findTourDeparture(db: Db, tour: TourOfDeparture, date: string): Promise<Departure> {
  const [departure] = await findDepartures(db, tour.id, { from: date, to: date, limit: 1 });
  if (!departure) throw new DepartureNotFoundError(tour.slug, date);
  return departure;
}
