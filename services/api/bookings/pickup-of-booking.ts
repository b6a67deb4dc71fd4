import { localTimeIn } from '../catalog/local-time';
import { pickupTime } from '../pickups/pickup-time';
import type { BookingLead } from './booking-lead';

/** Where and when the guests of a booking are fetched. */
export interface PickupAnswer {
  /**
   * The code of the point. Null: a place of the guest.
   * @example "central_station"
   */
  point: string | null;
  /**
   * The name of the point, or the place in the guest's words.
   * @example "Central station"
   */
  name: string;
  /** @example "Europaplatz 1, Berlin" */
  address: string | null;
  /** @example "In front of the north entrance." */
  directions: string | null;
  /**
   * HH:MM in the time zone of the tour; `at` says of which day. Null: not known yet.
   * @example "08:30"
   */
  time: string | null;
  /**
   * The instant. Null: not known yet.
   * @example "2027-03-06T07:30:00.000Z"
   */
  at: string | null;
}

/** Returns the field `pickup` of a booking. Null: nothing is chosen. */
export function pickupOfBooking(lead: BookingLead): PickupAnswer | null {
  const { asked } = lead;
  const chosen = asked?.pickup?.chosen;
  if (!asked || !chosen) return null;
  const { time, at } = pickupTime(chosen, lead, asked.timeZone, localTimeIn(asked.timeZone));
  const { point, name, address, directions } = chosen;
  return { point, name, address, directions, time, at: at && at.toISOString() };
}
