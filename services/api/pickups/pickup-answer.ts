import type { OfferedPickup, PickupDeadline } from './pickup';
import { minutesEarlier } from './pickup-time';

/** A point at which a tour fetches guests. */
export interface PickupPointAnswer {
  /**
   * The code by which a booking names the point.
   * @example "central_station"
   */
  point: string;
  /** @example "Central station" */
  name: string;
  /** @example "Europaplatz 1, Berlin" */
  address: string | null;
  /** @example 52.525 */
  lat: number | null;
  /** @example 13.369 */
  lng: number | null;
  /** @example "In front of the north entrance." */
  directions: string | null;
  /** @example null */
  google_place_id: string | null;
  /**
   * Minutes before the start of the departure.
   * @isInt
   * @example 30
   */
  minutes_before: number;
  /**
   * HH:MM: the time at the start time of the tour; a departure with another start time fetches so many minutes before that. Null: the tour has
   * no start time.
   * @example "08:30"
   */
  time: string | null;
}

/** Where a tour fetches its guests. */
export interface PickupOfferAnswer {
  /**
   * True: a booking must name a point or a place.
   * @example true
   */
  required: boolean;
  /**
   * When a required pickup is due: with the booking, or before the booking is confirmed.
   * @example "confirm"
   */
  until: PickupDeadline;
  /**
   * True: a guest may name another place.
   * @example false
   */
  elsewhere: boolean;
  points: PickupPointAnswer[];
}

/** @param startTime HH:MM, of the tour */
export function pickupOfferAnswer(
  pickup: OfferedPickup | null,
  startTime: string | null,
): PickupOfferAnswer | null {
  if (!pickup) return null;
  const { required, until, elsewhere, points } = pickup;
  return {
    required,
    until,
    elsewhere,
    points: points.map((point) => ({
      point: point.point,
      name: point.name,
      address: point.address,
      lat: point.lat,
      lng: point.lng,
      directions: point.directions,
      google_place_id: point.google_place_id,
      minutes_before: point.minutes_before,
      time: startTime === null ? null : minutesEarlier(startTime, point.minutes_before),
    })),
  };
}
