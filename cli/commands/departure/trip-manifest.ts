import { findTour } from '../../../services/api/catalog/find-tour';
import type { NamedDeparture } from '../../../services/api/departures/find-departures';
import { findResource } from '../../../services/api/resources/find-resource';
import {
  type DepartureOnTrip,
  selectDeparturesOnTrips,
} from '../../../services/api/resources/uses-of-departures.repository';
import type { Db } from '../../../services/platform/database/database';
import { AppError } from '../../../services/platform/errors';
import { UsageError } from '../../engine/failure';

/** A departure of a trip, as a manifest names it. */
interface DepartureOfTrip {
  tour: Awaited<ReturnType<typeof findTour>>;
  named: NamedDeparture;
}

/** The resource makes no trip on this date, or at this time. */
class TripNotFoundError extends AppError {
  readonly code = 'trip_not_found';

  constructor(resource: string, { date, time }: NamedDeparture) {
    super(`No departure uses ${resource} on ${date}${time === undefined ? '' : ` at ${time}`}`);
  }
}

/**
 * Returns the departures of the trip of a resource, by time and tour.
 * @throws ResourceNotFoundError, TripNotFoundError; UsageError if the resource makes several trips on the date and no time is given
 */
export async function findTrip(db: Db, code: string, named: NamedDeparture): Promise<DepartureOfTrip[]> {
  const { id } = await findResource(db, code);
  const ofDate = await selectDeparturesOnTrips(db, id, named.date);
  const first = ofDate.filter(({ startTime }) => named.time === undefined || startTime === named.time);
  const trips = [...new Set(first.map(({ trip }) => trip))];
  if (trips.length === 0) throw new TripNotFoundError(code, named);
  if (trips.length > 1) throw new UsageError(describeTrips(code, named, first));
  const ofTrip = ofDate.filter(({ trip }) => trip === trips[0]);
  return Promise.all(
    ofTrip.map(async ({ tourSlug, startTime }) => ({
      tour: await findTour(db, tourSlug),
      named: { date: named.date, time: startTime ?? undefined },
    })),
  );
}

function describeTrips(code: string, { date }: NamedDeparture, departures: DepartureOnTrip[]): string {
  const names = departures.map(({ tourSlug, startTime }) => `${startTime ?? 'no time'} (${tourSlug})`);
  return `${code} makes several trips on ${date}: give the time too, such as ${date}T09:30. They are at ${names.join(', ')}`;
}
