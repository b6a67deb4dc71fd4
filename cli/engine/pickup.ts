import type { BookingLead } from '../../services/api/bookings/booking-lead';
import { type PickupAnswer, pickupOfBooking } from '../../services/api/bookings/pickup-of-booking';
import { instantIn, instantsIn, SkippedTimeError } from '../../services/api/catalog/local-time';
import { isStartTime } from '../../services/api/catalog/start-time';
import { type GivenPickup, PLACE_MAX } from '../../services/api/pickups/pickup';
import { isQuestionCode, QUESTION_CODE_RULE } from '../../services/api/questions/question';
import { isCalendarDate } from '../../services/platform/forms/days';
import { HIDDEN } from '../../services/platform/forms/text-forms';
import { foldLines } from '../terminal/text';
import { flag } from './command';
import { UsageError } from './failure';
import { line } from './values';

/** Reads the code of a pickup point. */
export function pickupPoint(text: string, name: string): string {
  if (!isQuestionCode(text)) throw new UsageError(`${name} ${QUESTION_CODE_RULE}`);
  return text;
}

/** The flags that name a pickup. */
export interface PickupOptions {
  /** The code of a point, or none. */
  pickup?: string;
  place?: string;
}

export const PICKUP_FLAGS = [
  flag('--pickup <point>', 'where the guests are fetched: a point of the tour; none clears it', {
    parse: pickupPoint,
  }),
  flag('--place <text>', 'where the guests are fetched: a place of their own, where the tour offers it', {
    parse: line(PLACE_MAX),
  }),
];

/** Refuses a point and a place together. @throws UsageError */
export function checkPickupFlags({ pickup, place }: PickupOptions): void {
  if (pickup !== undefined && place !== undefined)
    throw new UsageError('--pickup and --place name two places: give one of them');
}

/** Returns the pickup that flags name. Undefined: none; null: it is cleared. */
export function pickupOfFlags({ pickup, place }: PickupOptions): GivenPickup | undefined {
  if (place !== undefined) return { place };
  if (pickup === undefined) return undefined;
  return pickup === 'none' ? null : { point: pickup };
}

/** A local time, of the date of a departure unless it names another one. */
export interface LocalMoment {
  /** YYYY-MM-DD */
  date?: string;
  /** HH:MM */
  time: string;
}

/** Reads `08:30`, or `2027-03-05T23:30`. */
export function localMoment(text: string, name: string): LocalMoment {
  const [first = '', second] = text.split(/[T ]/);
  const moment = second === undefined ? { time: first } : { date: first, time: second };
  if (isStartTime(moment.time) && (moment.date === undefined || isCalendarDate(moment.date))) return moment;
  throw new UsageError(`${name} must be a local time such as 08:30 or 2027-03-05T23:30`);
}

/**
 * Returns the first instant of a local moment.
 * @param departureDate the date of a moment that names none
 * @param timeZone of the tour
 * @throws SkippedTimeError
 */
export function instantOfMoment(moment: LocalMoment, departureDate: string, timeZone: string): string {
  const { date = departureDate, time } = moment;
  const [first] = instantsIn(timeZone)(date, `${time}:00`);
  if (first === undefined) throw new SkippedTimeError('pickup', { date, time }, timeZone);
  return first;
}

/** Returns the pickup of a booking; a place of the guest is masked unless revealed. */
export function toPickupDocument(lead: BookingLead, reveal: boolean): PickupAnswer | null {
  const pickup = pickupOfBooking(lead);
  const isHidden = pickup !== null && pickup.point === null && !reveal;
  return isHidden ? { ...pickup, name: HIDDEN } : pickup;
}

/** The departure of a pickup. */
export interface DepartureOfPickup {
  departure_date: string;
  /** The zone of its tour. */
  timeZone: string;
}

/** Returns `08:30 Central station, Europaplatz 1` on one line, with the date where it is another one than that of the departure. */
export function describePickup(pickup: PickupAnswer, departure?: DepartureOfPickup): string {
  const { time, name, address } = pickup;
  const words = [dateOf(pickup, departure), time ?? '--:--', name].filter(Boolean).join(' ');
  return foldLines([words, address].filter(Boolean).join(', '));
}

function dateOf({ at }: PickupAnswer, departure: DepartureOfPickup | undefined): string | undefined {
  if (at === null || !departure) return undefined;
  const date = instantIn(departure.timeZone)(Date.parse(at)).slice(0, '2027-06-05'.length);
  return date === departure.departure_date ? undefined : date;
}
