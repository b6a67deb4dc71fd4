import { bookingsLeft } from './party-choice.ts';
import type { Departure, Tour } from './wire.ts';

/** A departure whose free seats are enough for at most so many bookings has "few left". */
const FEW_BOOKINGS = 5;

/** Says that a departure can be chosen, or why not. Each but `open` is a key of the words of the calendar. */
export type DepartureState = 'open' | 'soldOut' | 'closed' | 'cancelled';

/** Returns the state of a departure: sold out if its free seats are too few for any booking. Past departures are not in the list. */
export function stateOf(departure: Departure, tour: Tour): DepartureState {
  const { status } = departure;
  if (status === 'available') return bookingsLeft(departure, tour) > 0 ? 'open' : 'soldOut';
  if (status === 'sold_out') return 'soldOut';
  return status === 'closed' ? 'closed' : 'cancelled';
}

export function hasFewLeft(departure: Departure, tour: Tour): boolean {
  return bookingsLeft(departure, tour) <= FEW_BOOKINGS;
}
