import type { PricedTour, Prices } from '../pricing/price-categories';

export type DepartureStatus = 'available' | 'sold_out' | 'cancelled' | 'gone' | 'closed';

/** One travel date of a tour at `asOf` by the database's clock. The same for every tenant of a kind (ADR 29). */
export interface Departure {
  id: string;
  /** The tour's pricing facts, read in the same statement, because an import may change both. */
  tour: PricedTour;
  departureDate: string;
  returnDate: string | null;
  seatsTotal: number;
  /** Seats that the tenants of the kind have taken. */
  seatsTaken: number;
  /** The kind: true counts the seats of sandbox tenants, false real seats. */
  sandbox: boolean;
  cancelled: boolean;
  /** The date has passed in the tour's time zone. */
  past: boolean;
  /** The closing time has passed. */
  closed: boolean;
  prices: Prices;
  asOf: Date;
}

/** A departure in a list of its tour. */
export interface ListedDeparture extends Departure {
  /** The first instant at which it cannot be booked. */
  salesEndAt: Date;
}

/** The key of a departure in requests. */
export interface DepartureKey {
  tourId: string;
  /** YYYY-MM-DD */
  departureDate: string;
}

/** A request for seats. */
export interface WantedSeats extends DepartureKey {
  quantity: number;
  /** By a sandbox tenant. */
  sandbox: boolean;
}

/**
 * Derives the status. A cancellation holds on any date, so it comes first; then the states that no free seat can change. The SQL
 * function departure_is_open() has the same rule; departure_closes_at() returns its first false instant (0105_departures.sql).
 */
export function departureStatus(departure: Departure): DepartureStatus {
  if (departure.cancelled) return 'cancelled';
  if (departure.past) return 'gone';
  if (departure.closed) return 'closed';
  return departure.seatsTaken < departure.seatsTotal ? 'available' : 'sold_out';
}

/** Returns the seats that can be sold now: 0 for a departure that is cancelled, gone or closed. */
export function seatsAvailable(departure: Departure): number {
  return departureStatus(departure) === 'available' ? departure.seatsTotal - departure.seatsTaken : 0;
}
