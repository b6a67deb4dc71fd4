import { InvalidInputError } from '../../platform/errors';
import type { Form } from '../../platform/forms/form';
import { lineForm } from '../../platform/forms/texts';
import { clearableInput, readAll } from '../http/input';
import { chosenPickup, type OfferedPickup, PLACE_MAX, type ReservedPickup } from '../pickups/pickup';

/** The fields of a pickup in the body of a booking, with or without `octo/pickups`. */
export interface OctoPickupBody {
  /** True: the guests want a pickup. False: they want none, unless the body names a point or a hotel. */
  pickupRequested?: boolean | null;
  /** The id of one of the `pickupPoints`; null clears it. It wins over the hotel. */
  pickupPointId?: string | null;
  /** The guests' hotel, at most 200 characters; null clears it. Without a point, and where the tour fetches guests elsewhere, it is their place. */
  pickupHotel?: string | null;
  /** At most 32 characters; null clears it. */
  pickupHotelRoom?: string | null;
}

/** The pickup of a request. An undefined field was left out, and null clears it. */
export interface SentPickup {
  requested: boolean | undefined;
  pointId: string | null | undefined;
  hotel: string | null | undefined;
  room: string | null | undefined;
}

const ROOM_MAX = 32;
const POINT = lineForm(64);
const HOTEL = lineForm(PLACE_MAX);
const ROOM = lineForm(ROOM_MAX);

/**
 * Reads the pickup of a body. Undefined: it names none.
 * @throws BadInputError with all issues of the fields (400)
 */
export function sentPickup(body: OctoPickupBody): SentPickup | undefined {
  const { pickupRequested, pickupPointId, pickupHotel, pickupHotelRoom } = body;
  const text = (field: string, value: string | null | undefined, form: Form<string>) => () =>
    clearableInput(field, value === '' ? null : value, form);
  const sent = readAll<SentPickup>({
    requested: () => flagInput('pickupRequested', pickupRequested),
    pointId: text('pickupPointId', pickupPointId, POINT),
    hotel: text('pickupHotel', pickupHotel, HOTEL),
    room: text('pickupHotelRoom', pickupHotelRoom, ROOM),
  });
  return Object.values(sent).some((one) => one !== undefined) ? sent : undefined;
}

function flagInput(field: string, value: boolean | null | undefined): boolean | undefined {
  if (value == null) return undefined;
  if (typeof value !== 'boolean') throw new InvalidInputError('body', field, 'must be true or false');
  return value;
}

const NOTHING: ReservedPickup = { requested: false, hotel: null, room: null, chosen: null };

/**
 * Returns the pickup of a reservation or a booking after a request. What the request leaves out stays, with its words. A point wins over a
 * hotel, and a tour that fetches nobody ignores a hotel.
 * @throws InvalidInputError for a point or a hotel that the tour does not offer (400)
 */
export function pickupAfter(
  before: ReservedPickup | null,
  sent: SentPickup | undefined,
  offered: OfferedPickup | null,
): ReservedPickup | null {
  if (!sent) return before;
  if (sent.requested === false && !sent.pointId && !sent.hotel) return NOTHING;
  const now = before ?? NOTHING;
  const chosen = chosenAfter(now, sent, offered);
  if (chosen === null) return { ...NOTHING, requested: sent.requested ?? now.requested };
  return { requested: true, ...wordsAfter(now, sent), chosen };
}

function chosenAfter(
  before: ReservedPickup,
  sent: SentPickup,
  offered: OfferedPickup | null,
): ReservedPickup['chosen'] {
  const { chosen: now } = before;
  const { pointId = now?.point ?? null } = sent;
  if (pointId !== null) return now?.point === pointId ? now : chosenPickup(offered, { point: pointId });
  const isPlace = now !== null && now.point === null;
  // A place that REST or the desk has set has no words of the reseller.
  if (isPlace && sent.hotel === undefined && sent.room === undefined) return now;
  return placeAfter(before, wordsAfter(before, sent), offered);
}

type Words = Pick<ReservedPickup, 'hotel' | 'room'>;

function wordsAfter(before: Words, { hotel = before.hotel, room = before.room }: SentPickup): Words {
  return { hotel, room };
}

function placeAfter(
  { chosen: now, hotel: known }: ReservedPickup,
  { hotel, room }: Words,
  offered: OfferedPickup | null,
): ReservedPickup['chosen'] {
  if (hotel === null || offered === null) return null;
  // The hotel stood beside a point, which the request clears.
  if (hotel === known && !offered.elsewhere) return null;
  const place = placeOfHotel(hotel, room);
  const isKnown = now !== null && now.point === null && now.name === place;
  return isKnown ? now : chosenPickup(offered, { place });
}

/** Returns a hotel and a room as the place of a pickup. */
export function placeOfHotel(hotel: string, room: string | null): string {
  const place = room === null ? hotel : `${hotel}, ${room}`;
  return [...place].slice(0, PLACE_MAX).join('');
}

/** Returns the pickup of a reservation that moves to another tour. It keeps a point or a place that this tour offers too. */
export function pickupOnOtherTour(
  before: ReservedPickup | null,
  offered: OfferedPickup | null,
): ReservedPickup | null {
  if (!before?.chosen) return before;
  const { point } = before.chosen;
  if (point === null) return offered?.elsewhere ? before : { ...before, chosen: null };
  const isOffered = offered?.points.some((one) => one.point === point) ?? false;
  return { ...before, chosen: isOffered ? chosenPickup(offered, { point }) : null };
}
