import type { Departure } from './wire.ts';

/** A departure with at most so many free seats has "few left". */
const FEW_SEATS = 5;

/** Whether a departure can be chosen, and why not. Each but `open` is a key of the words of the calendar. */
export type DepartureState = 'open' | 'soldOut' | 'closed' | 'cancelled';

/** The departures of one date, as the calendar shows them. */
export interface DepartureDay {
  state: DepartureState;
  /** Each departure that can be chosen has few free seats. */
  few: boolean;
  /** The lowest price of one unit of the first category, in major units. */
  priceFrom: number;
  currency: string;
}

export function stateOf({ status, seats_available }: Departure): DepartureState {
  if (status === 'available') return seats_available > 0 ? 'open' : 'soldOut';
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
  const byDate = new Map<string, Departure[]>();
  for (const departure of departures) {
    const others = byDate.get(departure.departure_date);
    if (others) others.push(departure);
    else byDate.set(departure.departure_date, [departure]);
  }
  const dates = [...byDate.keys()].sort();
  return new Map(dates.map((date) => [date, dayOf(byDate.get(date)!, firstCategory)]));
}

/** The reasons of a date on which no departure can be chosen: the first that one of them has counts. */
const REASONS: DepartureState[] = ['soldOut', 'closed', 'cancelled'];

function dayOf(departures: Departure[], firstCategory: string): DepartureDay {
  const open = departures.filter((departure) => stateOf(departure) === 'open');
  const states = departures.map(stateOf);
  const priced = open.length > 0 ? open : departures;
  return {
    state: open.length > 0 ? 'open' : REASONS.find((reason) => states.includes(reason))!,
    few: open.length > 0 && open.every(hasFewSeats),
    priceFrom: Math.min(...priced.map(({ tenant_prices }) => tenant_prices[firstCategory]!)),
    currency: departures[0]!.currency,
  };
}
