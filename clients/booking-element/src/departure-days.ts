import type { Departure } from './wire.ts';

/** A departure with at most so many free seats has "few left". */
const FEW_SEATS = 5;

/** Whether a departure can be chosen, and why not. Each but `open` is a key of the words of the calendar. */
export type DepartureState = 'open' | 'soldOut' | 'closed' | 'cancelled';

/** The departures of one date, as the calendar shows them. */
export interface DepartureDay {
  state: DepartureState;
  /** Each departure of this state has few free seats. */
  few: boolean;
  /** The lowest price of one unit of the first category at a departure of this state, in major units. */
  priceFrom: number;
  currency: string;
}

/** Past departures are not in the list. */
export function stateOf({ status }: Departure): DepartureState {
  if (status === 'available') return 'open';
  if (status === 'sold_out') return 'soldOut';
  return status === 'closed' ? 'closed' : 'cancelled';
}

export function hasFewSeats({ seats_available }: Departure): boolean {
  return seats_available <= FEW_SEATS;
}

/** Returns the dates with departures, in order. @param firstCategory the code of the tour's first category */
export function departureDays(
  departures: readonly Departure[],
  firstCategory: string,
): Map<string, DepartureDay> {
  const byDate = Map.groupBy(departures, ({ departure_date }) => departure_date);
  const dates = [...byDate.keys()].sort();
  return new Map(dates.map((date) => [date, dayOf(byDate.get(date)!, firstCategory)]));
}

/** The states of a date: the first that one of its departures has. */
const STATES: DepartureState[] = ['open', 'soldOut', 'closed', 'cancelled'];

function dayOf(departures: Departure[], firstCategory: string): DepartureDay {
  const state = STATES.find((one) => departures.some((departure) => stateOf(departure) === one))!;
  const shown = departures.filter((departure) => stateOf(departure) === state);
  return {
    state,
    few: shown.every(hasFewSeats),
    priceFrom: Math.min(...shown.map(({ tenant_prices }) => tenant_prices[firstCategory]!)),
    currency: departures[0]!.currency,
  };
}
