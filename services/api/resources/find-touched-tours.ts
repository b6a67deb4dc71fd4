import type { Db } from '../../platform/database/database';
import { findTouchedDates } from './touched-dates';

/** Returns the ids of the tours whose other departures share a resource with one of the departures at its time. */
export async function findTouchedTours(db: Db, departureIds: string[]): Promise<string[]> {
  const touched = await findTouchedDates(db, departureIds);
  return [...new Set(touched.map(({ tourId }) => tourId))];
}
