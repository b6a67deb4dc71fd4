import {
  type GivenPickup,
  type OfferedPickup,
  type OfferedPoint,
  PLACE_MAX,
} from '../../../services/api/pickups/pickup';
import { minutesEarlier } from '../../../services/api/pickups/pickup-time';
import type { Io } from '../../terminal/io';
import { askFromList, type Choice, type Offer } from '../../terminal/prompts';
import { hasWords, wordsOf } from './sale-reads';

/** The pickup of a sale, and what decides whether it is due. */
interface PickupOfSale {
  pickup: OfferedPickup;
  /** HH:MM, of the departure. Null: it has none. */
  startTime: string | null;
  /** True: the booking is confirmed at once, so a required pickup is due. */
  isConfirmed: boolean;
}

/** Asks where the guests are fetched: at a point or, where the tour offers it, at a typed place. Undefined: nowhere, or not said yet. */
export async function askPickup(io: Io, sale: PickupOfSale): Promise<GivenPickup | undefined> {
  const { required, until, elsewhere } = sale.pickup;
  const isDue = required && (sale.isConfirmed || until === 'booking');
  const message = elsewhere ? 'Pickup (a point, or type a place):' : 'Pickup:';
  const answer = await askFromList(io, message, async (typed) => findPlaces(sale, typed, isDue));
  return (JSON.parse(answer) as { pickup?: GivenPickup }).pickup;
}

function findPlaces({ pickup, startTime }: PickupOfSale, typed: string, isDue: boolean): Offer {
  const words = wordsOf(typed);
  const place = typed.trim();
  const points = pickup.points.map((point) => ({ point, choice: pointChoice(point, startTime) }));
  const found = points
    .filter(({ point }) => hasWords(describedPoint(point), words))
    .map(({ choice }) => choice);
  const own = pickup.elsewhere && place !== '' && [...place].length <= PLACE_MAX ? [placeChoice(place)] : [];
  const none = isDue || place !== '' ? [] : [choiceOf(undefined, 'none, or not said yet')];
  const choices = [...found, ...own, ...none];
  return { why: choices.length > 0 ? undefined : `No point is called "${typed}"`, choices };
}

function describedPoint({ point, name, address }: OfferedPoint): string {
  return [name, address, point].filter(Boolean).join(' ');
}

function pointChoice(point: OfferedPoint, startTime: string | null): Choice {
  const time = startTime === null ? '' : `${minutesEarlier(startTime, point.minutes_before)} `;
  const address = point.address === null ? '' : `, ${point.address}`;
  return choiceOf({ point: point.point }, `${time}${point.name}${address}`);
}

function placeChoice(place: string): Choice {
  return choiceOf({ place }, `another place: ${place}`);
}

function choiceOf(pickup: GivenPickup | undefined, name: string): Choice {
  return { value: JSON.stringify({ pickup }), name };
}
