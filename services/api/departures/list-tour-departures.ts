import type { Db } from '../../platform/database';
import type { Departure } from './departure';
import { type DeparturePage, findDepartures } from './departure.repository';

/** The departures of a tour for an operator, cancelled and past ones too, by date; no tenant's prices. */
export async function listTourDepartures(
  db: Db,
  tourId: string,
  page: Pick<DeparturePage, 'from' | 'to' | 'limit'>,
): Promise<Departure[]> {
  return findDepartures(db, tourId, page);
}
