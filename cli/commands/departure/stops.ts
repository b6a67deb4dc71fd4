import type { PickupAnswer } from '../../../services/api/bookings/pickup-of-booking';
import { type DepartureOfPickup, describePickup } from '../../engine/pickup';
import { foldLines } from '../../terminal/text';

/** A booking of a manifest. */
interface FetchedBooking {
  people: number;
  pickup: PickupAnswer | null;
}

/** Bookings with the number of their people. */
interface Group<Booking> {
  people: number;
  bookings: Booking[];
}

/** A stop of a pickup at one time, with the words of its first booking. A place of a guest is a stop of its own. */
interface Stop<Booking> extends PickupAnswer, Group<Booking> {}

/** Returns the bookings by time and stop: a stop without a time comes last. Then those whose guests come alone. */
export function byPickup<Booking extends FetchedBooking>(
  bookings: Booking[],
): { stops: Stop<Booking>[]; alone: Group<Booking> } {
  const stops = new Map<string, Stop<Booking>>();
  const alone: Group<Booking> = { people: 0, bookings: [] };
  for (const [index, booking] of bookings.entries()) {
    const { pickup } = booking;
    const key = pickup && JSON.stringify([pickup.at, pickup.point ?? index]);
    const group = key === null ? alone : (stops.get(key) ?? { ...pickup!, people: 0, bookings: [] });
    group.people += booking.people;
    group.bookings.push(booking);
    if (key !== null) stops.set(key, group as Stop<Booking>);
  }
  return { stops: [...stops.values()].sort(byTime), alone };
}

/** Comes after every instant of RFC 3339. */
const LAST = '9999';

function byTime(a: PickupAnswer, b: PickupAnswer): number {
  return (a.at ?? LAST).localeCompare(b.at ?? LAST) || a.name.localeCompare(b.name);
}

/** Returns `08:30 Central station, Europaplatz 1: 3 people`, and the directions below it. */
export function describeStop(stop: Stop<unknown>, departure: DepartureOfPickup): string {
  const title = `${describePickup(stop, departure)}: ${countPeople(stop)}`;
  return stop.directions === null ? title : `${title}\n${foldLines(stop.directions)}`;
}

/** Returns `1 person`, `3 people`. */
export function countPeople({ people }: { people: number }): string {
  return people === 1 ? '1 person' : `${people} people`;
}
