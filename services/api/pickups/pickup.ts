import { InvalidInputError } from '../../platform/errors';
import type { PickupPoint, PointWords } from './pickup-point';

/** A required pickup is due with the booking, or before the booking is confirmed. */
export type PickupDeadline = 'booking' | 'confirm';

/** The most points of a tour, minutes before the start, and characters of a place. */
export const PICKUP_POINTS_MAX = 500;
export const MINUTES_BEFORE_MAX = 2880;
export const PLACE_MAX = 200;

/** A point at which a tour fetches guests, with its words. */
export interface OfferedPoint extends Omit<PickupPoint, 'code'> {
  /** The code of the point. */
  point: string;
  minutes_before: number;
}

/** The pickup that a tour offers. */
export interface OfferedPickup {
  required: boolean;
  until: PickupDeadline;
  /** True: a guest may name a place of the own. */
  elsewhere: boolean;
  points: OfferedPoint[];
}

/** The point or place of a booking, with the words of the time when it was chosen. */
export interface ChosenPickup {
  /** Null: a place of the guest. */
  point: string | null;
  /** The name of the point, or the guest's words. */
  name: string;
  address: string | null;
  directions: string | null;
  /** Null: a place. */
  minutes_before: number | null;
  /** The time that the operator has set by hand. It holds while the departure starts as it did then. */
  set?: SetTime;
}

interface SetTime {
  /** RFC 3339, UTC. */
  at: string;
  /** The start for which it was set: startKey. */
  start: string;
}

/** The rules of the pickup when the booking was made, and its choice. */
export interface BookedPickup {
  required: boolean;
  until: PickupDeadline;
  /** Null: nothing. */
  chosen: ChosenPickup | null;
}

/** The pickup that a request names. Null clears it. `kept`: one that an earlier request has chosen, which is not judged again. */
export type GivenPickup = { point: string } | { place: string } | { kept: ChosenPickup } | null;

/** The pickup of a reservation of OCTO, which its booking takes over. */
export interface ReservedPickup {
  /** True: the reseller asks for a pickup, also without a point or a place. */
  requested: boolean;
  /** The guest's hotel and room, in the reseller's words. */
  hotel: string | null;
  room: string | null;
  /** The point or, without one, the hotel as a place. Null: none. */
  chosen: ChosenPickup | null;
}

/** The start of a departure. */
export interface PickupStart {
  departureDate: string | null;
  /** HH:MM. Null: none. */
  departureTime: string | null;
}

/** Returns the name of a start, by which a time set by hand knows whether the start has changed. */
export function startKey({ departureDate, departureTime }: PickupStart): string {
  return `${departureDate ?? ''} ${departureTime ?? ''}`;
}

/**
 * Returns the points with their words in other languages.
 * @param languagesOf returns those of a point's languages in which its words are shown, the preferred one first
 */
export function translatePoints(
  points: OfferedPoint[],
  languagesOf: (translated: string[]) => string[],
): OfferedPoint[] {
  return points.map((point) => {
    const words = languagesOf(Object.keys(point.translations)).map((tag) => point.translations[tag]!);
    const wordOf = (field: keyof PointWords) => words.find((one) => one[field] !== undefined)?.[field];
    return {
      ...point,
      name: wordOf('name') ?? point.name,
      address: wordOf('address') ?? point.address,
      directions: wordOf('directions') ?? point.directions,
    };
  });
}

/**
 * Returns the pickup of a new booking. Null: its tour fetches nobody.
 * @param given a kept pickup of a tour that fetches nobody any more is dropped
 * @param isBound false: a missing pickup never refuses the booking
 * @throws InvalidInputError for a point or place that the tour does not offer, and a missing one that is due with the booking (400)
 * @rule which pickup a booking may have: test/cli/pickups.test.ts
 */
export function pickupOfNew(
  offered: OfferedPickup | null,
  given: GivenPickup | undefined,
  isBound: boolean,
): BookedPickup | null {
  if (!offered) {
    if (given && !('kept' in given)) throw notOffered();
    return null;
  }
  const { required, until } = offered;
  const chosen = given ? chosenPickup(offered, given) : null;
  if (!chosen && isBound && required && until === 'booking') throw missingPickup();
  return { required, until, chosen };
}

/**
 * Returns the pickup of a booking after a change. What the change does not name stays, with its words.
 * @param offered what the tour offers now
 * @param isBound false: a required pickup may be cleared
 * @throws InvalidInputError as pickupOfNew (400)
 */
export function pickupAfterChange(
  before: BookedPickup | null,
  offered: OfferedPickup | null,
  given: GivenPickup | undefined,
  isBound: boolean,
): BookedPickup | null {
  if (given === undefined) return before;
  if (!before) {
    if (given) throw notOffered();
    return null;
  }
  if (given) return { ...before, chosen: chosenPickup(offered, given) };
  if (isBound && before.required && before.until === 'booking') throw missingPickup();
  return { ...before, chosen: null };
}

/**
 * Returns the point or place that a request chooses, with its words.
 * @throws InvalidInputError for one that the tour does not offer (400)
 */
export function chosenPickup(offered: OfferedPickup | null, given: NonNullable<GivenPickup>): ChosenPickup {
  if ('kept' in given) return given.kept;
  if ('place' in given) {
    if (!offered?.elsewhere)
      throw new InvalidInputError('body', 'pickup.place', 'is not offered by this tour: choose a point');
    return { point: null, name: given.place, address: null, directions: null, minutes_before: null };
  }
  const point = offered?.points.find((one) => one.point === given.point);
  if (!point) throw new InvalidInputError('body', 'pickup.point', 'must be a pickup point of the tour');
  const { name, address, directions, minutes_before } = point;
  return { point: point.point, name, address, directions, minutes_before };
}

function notOffered(): InvalidInputError {
  return new InvalidInputError('body', 'pickup', 'must be left out: the tour fetches nobody');
}

function missingPickup(): InvalidInputError {
  return new InvalidInputError('body', 'pickup', 'is required for this tour');
}

/**
 * Returns the pickup with the time that the operator sets by hand, for one start of the departure.
 * @param at RFC 3339, UTC. Null: it follows the start again
 * @throws InvalidInputError if nothing is chosen (400)
 */
export function pickupAt(pickup: BookedPickup | null, at: string | null, start: PickupStart): BookedPickup {
  if (!pickup?.chosen)
    throw new InvalidInputError(
      'body',
      'pickup_time',
      'needs a pickup: the booking names no point and no place',
    );
  const { set: _, ...chosen } = pickup.chosen;
  return { ...pickup, chosen: at === null ? chosen : { ...chosen, set: { at, start: startKey(start) } } };
}

/** Returns whether a required pickup is missing. */
export function lacksPickup(pickup: BookedPickup | null): boolean {
  return pickup !== null && pickup.required && pickup.chosen === null;
}
