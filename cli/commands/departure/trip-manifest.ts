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

/** A trip of a resource, as a command names it. */
interface NamedTrip extends NamedDeparture {
  /** The slug of the tour of one of its departures. Undefined: any. */
  tour?: string;
}

/** The resource makes no trip on this date, or at this time. */
class TripNotFoundError extends AppError {
  readonly code = 'trip_not_found';

  constructor(resource: string, { date, time, tour }: NamedTrip) {
    const ofTour = tour === undefined ? '' : ` of ${tour}`;
    super(`No departure${ofTour} uses ${resource} on ${date}${time === undefined ? '' : ` at ${time}`}`);
  }
}

/**
 * Returns the departures of the trip of a resource, by time and tour. A trip without a live hold or standing booking is chosen only if no other
 * one has some.
 * @throws ResourceNotFoundError, TripNotFoundError; UsageError if the resource makes several such trips
 */
export async function findTrip(db: Db, code: string, named: NamedTrip): Promise<DepartureOfTrip[]> {
  const { id } = await findResource(db, code);
  const ofDate = await selectDeparturesOnTrips(db, id, named.date);
  const soldTrips = new Set(ofDate.filter(({ isSold }) => isSold).map(({ trip }) => trip));
  const asNamed = ofDate.filter((one) => isNamed(one, named));
  const sold = asNamed.filter(({ trip }) => soldTrips.has(trip));
  const found = sold.length > 0 ? sold : asNamed;
  const trips = [...new Set(found.map(({ trip }) => trip))];
  if (trips.length === 0) throw new TripNotFoundError(code, named);
  if (trips.length > 1) throw new UsageError(describeTrips(code, named, found));
  const ofTrip = ofDate.filter(({ trip }) => trip === trips[0]);
  return Promise.all(
    ofTrip.map(async ({ tourSlug, startTime }) => ({
      tour: await findTour(db, tourSlug),
      named: { date: named.date, time: startTime ?? undefined },
    })),
  );
}

function isNamed({ startTime, tourSlug }: DepartureOnTrip, { time, tour }: NamedTrip): boolean {
  return (time === undefined || startTime === time) && (tour === undefined || tourSlug === tour);
}

/** Names the trips, and what tells them apart: the time, unless they have the same, or the tour, unless it is named. */
function describeTrips(code: string, { date, tour }: NamedTrip, departures: DepartureOnTrip[]): string {
  const [{ tourSlug, startTime }] = departures as [DepartureOnTrip];
  const times = new Set(departures.map((one) => one.startTime));
  const ways = [
    times.size > 1 && startTime !== null ? `its time, such as ${date}T${startTime}` : '',
    tour === undefined ? `its tour, such as --tour ${tourSlug}` : '',
  ].filter((way) => way !== '');
  const names = departures.map((one) => `${one.startTime ?? 'no time'} (${one.tourSlug})`);
  return `${code} makes several trips on ${date}: name one by ${ways.join(', or by ')}. They are at ${names.join(', ')}`;
}
