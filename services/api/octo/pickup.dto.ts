import type { ToLocalTime } from '../catalog/local-time';
import { instantIn } from '../catalog/local-time';
import type { ChosenPickup, OfferedPickup, OfferedPoint, ReservedPickup } from '../pickups/pickup';
import type { OctoCapability } from './capabilities';
import { placeOfHotel } from './pickup.request';

/** @example {"id": "central_station", "name": "Central station", "directions": "In front of the north entrance.", "address": "Europaplatz 1, Berlin", "latitude": 52.525, "longitude": 13.369, "localDateTime": "2027-03-06T08:30:00+01:00", "localDateTimeTo": null, "googlePlaceId": null, "street": null, "postalCode": null, "locality": null, "region": null, "state": null, "country": null} */
export interface OctoPickupPoint {
  /** Names the point in `pickupPointId`. */
  id: string;
  name: string;
  directions: string | null;
  address: string | null;
  latitude: number | null;
  longitude: number | null;
  /** When the guests are fetched, with its offset. Null: in an option, and where the departure has no start time. */
  localDateTime: string | null;
  /** Always null: guests are fetched at one time. */
  localDateTimeTo: string | null;
  googlePlaceId: string | null;
  /** Always null: `address` has the whole address. */
  street: string | null;
  /** Always null. */
  postalCode: string | null;
  /** Always null. */
  locality: string | null;
  /** Always null. */
  region: string | null;
  /** Always null. */
  state: string | null;
  /** Always null. */
  country: string | null;
}

/** The fields of an option and of an availability with `octo/pickups`. */
export interface OctoPickupOffer {
  /**
   * With `octo/pickups`: true if the tour fetches its guests.
   * @example true
   */
  pickupAvailable?: boolean;
  /**
   * With `octo/pickups`: true if the operator needs the pickup. A booking without one is accepted, and its pickup is missing.
   * @example false
   */
  pickupRequired?: boolean;
  /** With `octo/pickups`: the points at which the tour fetches its guests. */
  pickupPoints?: OctoPickupPoint[];
}

/** The fields of a booking with `octo/pickups`. */
export interface OctoBookedPickup {
  /**
   * With `octo/pickups`: true if the guests want a pickup.
   * @example true
   */
  pickupRequested?: boolean;
  /**
   * With `octo/pickups`: the id of the point. Null: none.
   * @example "central_station"
   */
  pickupPointId?: string | null;
  /** With `octo/pickups`: the point in the words of the time when it was chosen. Null: none. */
  pickupPoint?: OctoPickupPoint | null;
  /**
   * With `octo/pickups`: the guests' hotel or other place. Null: none.
   * @example "Hotel Adlon"
   */
  pickupHotel?: string | null;
  /**
   * With `octo/pickups`. Null: none.
   * @example "12"
   */
  pickupHotelRoom?: string | null;
}

/** Returns when guests are fetched so many minutes before a start, with its offset. Null: not known. */
type ToPickupTime = (minutesBefore: number) => string | null;

const UNKNOWN_TIME: ToPickupTime = () => null;

/** Returns the pickup of an option or an availability. Empty without the capability. @param timeOf by default, no time is known */
export function toPickupOffer(
  pickup: OfferedPickup | null,
  capabilities: OctoCapability[],
  timeOf: () => ToPickupTime = () => UNKNOWN_TIME,
): OctoPickupOffer {
  if (!capabilities.includes('octo/pickups')) return {};
  const points = pickup?.points ?? [];
  const toTime = points.length > 0 ? timeOf() : UNKNOWN_TIME;
  return {
    pickupAvailable: pickup !== null,
    pickupRequired: pickup?.required ?? false,
    pickupPoints: points.map((point) => toPoint(point.point, point, point, toTime(point.minutes_before))),
  };
}

/**
 * Returns the function that finds the times of the pickups of one departure. Formats each distinct time once.
 * @param startTime HH:MM. Null: the departure has none
 */
export function pickupTimesOf(
  { departureDate, startTime }: { departureDate: string; startTime: string | null },
  timeZone: string,
  toLocalTime: ToLocalTime,
): ToPickupTime {
  if (startTime === null) return UNKNOWN_TIME;
  const startsAt = Date.parse(toLocalTime(departureDate, `${startTime}:00`));
  const toLocal = instantIn(timeZone);
  const known = new Map<number, string>();
  return (minutes) => {
    const time = known.get(minutes) ?? toLocal(startsAt - minutes * MINUTE_MS);
    known.set(minutes, time);
    return time;
  };
}

const MINUTE_MS = 60_000;

type Words = Pick<ChosenPickup, 'name' | 'address' | 'directions'>;
type Position = Pick<OfferedPoint, 'lat' | 'lng' | 'google_place_id'>;

const NOWHERE: Position = { lat: null, lng: null, google_place_id: null };

function toPoint(
  id: string,
  words: Words,
  position: Position,
  localDateTime: string | null,
): OctoPickupPoint {
  return {
    id,
    name: words.name,
    directions: words.directions,
    address: words.address,
    latitude: position.lat,
    longitude: position.lng,
    localDateTime,
    localDateTimeTo: null,
    googlePlaceId: position.google_place_id,
    street: null,
    postalCode: null,
    locality: null,
    region: null,
    state: null,
    country: null,
  };
}

/** The pickup of a reservation, or of its booking. */
interface PickupState {
  /** The reseller's words. Null: none, or erased. */
  reserved: ReservedPickup | null;
  /** The point or place of the booking or, before the confirmation, of its hold. */
  chosen: ChosenPickup | null;
  /** The present offer of the tour. */
  offered: OfferedPickup | null;
  /** When the guests are fetched, with its offset. Null: not known. */
  localDateTime: string | null;
}

/** Returns the pickup of a booking. A place that REST or the desk has set is its hotel. */
export function toBookedPickup({ reserved, chosen, offered, localDateTime }: PickupState): OctoBookedPickup {
  const pickupRequested = chosen !== null || (reserved?.requested ?? false);
  if (chosen === null) return { ...NO_PICKUP, pickupRequested };
  const { point } = chosen;
  if (point === null) return { ...NO_PICKUP, pickupRequested, ...hotelOfPlace(chosen, reserved) };
  const { hotel = null, room = null } = reserved ?? {};
  const position = offered?.points.find((one) => one.point === point) ?? NOWHERE;
  return {
    pickupRequested,
    pickupPointId: point,
    pickupPoint: toPoint(point, chosen, position, localDateTime),
    pickupHotel: hotel,
    pickupHotelRoom: room,
  };
}

/** Returns a place as the hotel and the room of the reseller, if these are the same place. */
function hotelOfPlace({ name }: ChosenPickup, reserved: ReservedPickup | null) {
  const { hotel = null, room = null } = reserved ?? {};
  const isOfReseller = hotel !== null && placeOfHotel(hotel, room) === name;
  return isOfReseller
    ? { pickupHotel: hotel, pickupHotelRoom: room }
    : { pickupHotel: name, pickupHotelRoom: null };
}

const NO_PICKUP = { pickupPointId: null, pickupPoint: null, pickupHotel: null, pickupHotelRoom: null };
