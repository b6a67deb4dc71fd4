import { isDue } from './answers.ts';
import { instantOf, localClock, MINUTE_MS } from './local-time.ts';
import type { Booking, BookingBody, Hold, PickupOffer, PickupPoint, Tour } from './wire.ts';

/** Choices beside the code of a point. No code is one of them. */
export const ALONE = '-';
export const ELSEWHERE = '+';

/** How the visitor is fetched. */
export interface PickupChoice {
  /** The code of a point, ALONE or ELSEWHERE. Empty: nothing is chosen. */
  pickup: string;
  /** The visitor's words of a place, for ELSEWHERE. */
  place: string;
}

/** Returns the chosen point. Undefined: no point, or one that the tour has no more. */
export function pointOf(offer: PickupOffer | null, { pickup }: PickupChoice): PickupPoint | undefined {
  return offer?.points.find(({ point }) => point === pickup);
}

/** Returns the field of the form that the platform would refuse. */
export function wrongPickup(offer: PickupOffer | null, choice: PickupChoice): 'pickup' | 'place' | undefined {
  const { pickup, place } = choice;
  if (!offer) return undefined;
  if (pickup === ELSEWHERE && offer.elsewhere) return place.trim() ? undefined : 'place';
  if (pickup === '' || pickup === ALONE) return isDue(offer) ? 'pickup' : undefined;
  return pointOf(offer, choice) ? undefined : 'pickup';
}

/** Returns the pickup of a booking. Undefined: none. */
export function pickupBody(offer: PickupOffer | null, choice: PickupChoice): BookingBody['pickup'] {
  const place = choice.place.trim();
  if (choice.pickup === ELSEWHERE) return offer?.elsewhere && place ? { place } : undefined;
  return pointOf(offer, choice) && { point: choice.pickup };
}

/** Returns the points that have each word of a text in their name, address or directions, in any case and without accents. */
export function findPoints(points: readonly PickupPoint[], text: string): PickupPoint[] {
  const words = plain(text).split(/\s+/);
  return points.filter(({ name, address, directions }) => {
    const all = plain([name, address, directions].join(' '));
    return words.every((word) => all.includes(word));
  });
}

function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** A local date and time of the tour. */
interface LocalTime {
  departure_date: string;
  departure_time: string;
}

/**
 * Returns when guests are fetched so many minutes before a departure, by the clocks of the tour.
 * @returns undefined: the departure has no start time
 * @rule the time of a pickup in the element: test/unit/element-answers.test.ts
 */
export function timeBefore(
  { departure_date, departure_time }: Pick<Hold, 'departure_date' | 'departure_time'>,
  minutes: number,
  { time_zone }: Tour,
): LocalTime | undefined {
  if (departure_time === null) return undefined;
  const start = Date.parse(`${departure_date}T${departure_time}Z`);
  // A browser that does not know the time zone knows none of its changes.
  const clock = localClock(time_zone) ?? Number;
  return localTimeOf(clock(instantOf(start, clock) - minutes * MINUTE_MS));
}

/** Returns when the guests of a booking are fetched, by the clocks of the tour. Undefined: it is not known. */
export function timeOfPickup({ pickup }: Booking, { time_zone }: Tour): LocalTime | undefined {
  if (!pickup?.at) return undefined;
  const clock = localClock(time_zone) ?? Number;
  return localTimeOf(clock(Date.parse(pickup.at)));
}

function localTimeOf(localTime: number): LocalTime {
  const [departure_date, time] = new Date(localTime).toISOString().split('T') as [string, string];
  return { departure_date, departure_time: time.slice(0, 5) };
}

/** Returns the address of a map that shows a point. Undefined: the point has no place on it. */
export function mapOf({ name, address, lat, lng }: PickupPoint): string | undefined {
  const place = lat === null ? address && `${name}, ${address}` : `${lat},${lng}`;
  return place ? `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(place)}` : undefined;
}
