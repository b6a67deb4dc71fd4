import { type DepartureState, hasFewLeft, stateOf } from './departure-state.ts';
import type { Category, Departure, Tour } from './wire.ts';

/** The departures of one date, as the calendar shows them. */
export interface DepartureDay {
  state: DepartureState;
  /** Each departure of this state has seats for few bookings. */
  few: boolean;
  /** The lowest price of one unit of the first category at a departure of this state, in major units. */
  priceFrom: number;
  currency: string;
}

/** Returns the dates with departures, in order. */
export function departureDays(departures: readonly Departure[], tour: Tour): Map<string, DepartureDay> {
  const byDate = Map.groupBy(departures, ({ departure_date }) => departure_date);
  const dates = [...byDate.keys()].sort();
  return new Map(dates.map((date) => [date, dayOf(byDate.get(date)!, tour)]));
}

/** The states of a date: the first that one of its departures has. */
const STATES: DepartureState[] = ['open', 'soldOut', 'closed', 'cancelled'];

function dayOf(departures: Departure[], tour: Tour): DepartureDay {
  const [{ code: first }] = tour.categories as [Category];
  const byState = Map.groupBy(departures, (departure) => stateOf(departure, tour));
  const state = STATES.find((one) => byState.has(one))!;
  const shown = byState.get(state)!;
  return {
    state,
    few: shown.every((departure) => hasFewLeft(departure, tour)),
    priceFrom: Math.min(...shown.map(({ tenant_prices }) => tenant_prices[first]!)),
    currency: departures[0]!.currency,
  };
}
