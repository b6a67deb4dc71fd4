import type { Db } from '../../platform/database/database';
import type { Closing, Resource, TimeSpan } from './resource';
import { type LocalDay, selectLocalDays, selectSoldTrips, type SoldTrip } from './sold-trips.repository';
import { selectClosings } from './stored-resource.repository';

/** A trip of a unit, with the sold departures that it covers. */
export interface ShownTrip extends TimeSpan {
  /** The end of the turnaround after it. */
  freeAt: Date;
  seats: number;
  /** Null: the seats of the resource are not counted. */
  seatsLeft: number | null;
  departures: SoldTrip[];
}

/** What a unit does on a day. Times may begin before the day and end after it. */
interface ShownUnit {
  trips: ShownTrip[];
  closings: Closing[];
}

/** A day of a resource in its zone. */
export interface ShownDay extends LocalDay {
  units: ShownUnit[];
}

/** The days that `resource show` shows if no end is given. */
const DAYS = 7;

/** A trip or the closing of one unit. */
type Taken = TimeSpan & ({ trip: ShownTrip } | { closing: Closing });

/**
 * Returns the days of a resource with its real trips and its closings. The units are assigned for this answer only: a sale has no unit.
 * @param given YYYY-MM-DD in the zone of the resource, both included; `to` is by default six days later
 */
export async function showDays(
  db: Db,
  resource: Resource,
  given: { from: string; to?: string },
): Promise<ShownDay[]> {
  const days = await selectLocalDays(db, resource.timeZone, { ...given, days: DAYS });
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return [];
  const turnaroundMs = resource.turnaround * 60_000;
  // A trip before the first day may have its turnaround on this day.
  const time = { from: new Date(first.from.getTime() - turnaroundMs), to: last.to };
  const trips = toTrips(await selectSoldTrips(db, resource.id, time), resource);
  const closings = await selectClosings(db, resource.id, { from: first.from, to: last.to });
  const taken = [
    ...trips.map((trip) => ({ from: trip.from, to: trip.freeAt, trip })),
    ...closings.flatMap((closing) =>
      Array.from({ length: closing.units ?? resource.units }, () => ({
        from: closing.from,
        to: closing.to,
        closing,
      })),
    ),
  ];
  const units = assignUnits(taken, resource.units);
  return days.map((day) => ({ ...day, units: units.map((all) => toUnit(all, day)) }));
}

function toTrips(sold: SoldTrip[], { places, turnaround }: Resource): ShownTrip[] {
  const byTrip = new Map<string, SoldTrip[]>();
  for (const one of sold) byTrip.set(one.trip, [...(byTrip.get(one.trip) ?? []), one]);
  return [...byTrip.values()].map((departures) => {
    const from = Math.min(...departures.map((one) => one.from.getTime()));
    const to = Math.max(...departures.map((one) => one.to.getTime()));
    const seats = departures.reduce((sum, one) => sum + one.seats, 0);
    return {
      from: new Date(from),
      to: new Date(to),
      freeAt: new Date(to + turnaround * 60_000),
      seats,
      seatsLeft: places === null ? null : places - seats,
      departures,
    };
  });
}

/** Gives each time the first unit that is free then. A closing may meet a sold trip, if no unit is free: then both are on the last unit. */
function assignUnits(taken: Taken[], count: number): Taken[][] {
  const units = Array.from({ length: count }, (): Taken[] => []);
  for (const one of taken.toSorted((a, b) => a.from.getTime() - b.from.getTime())) {
    const free = units.find((unit) => unit.every((other) => other.to <= one.from));
    (free ?? units.at(-1)!).push(one);
  }
  return units;
}

function toUnit(taken: Taken[], day: TimeSpan): ShownUnit {
  const ofDay = taken.filter(({ from, to }) => from < day.to && to > day.from);
  return {
    trips: ofDay.flatMap((one) => ('trip' in one ? [one.trip] : [])),
    closings: ofDay.flatMap((one) => ('closing' in one ? [one.closing] : [])),
  };
}
