import type { PricedTour, Prices } from '../pricing/price-categories';

export type DepartureStatus = 'available' | 'sold_out' | 'cancelled' | 'gone' | 'closed';

/** One travel date of a tour at `asOf` by the database's clock. The same for every tenant of a kind (ADR 29). */
export interface Departure {
  id: string;
  /** The tour's pricing facts, read in the same statement, because an import may change both. */
  tour: PricedTour;
  departureDate: string;
  /** Local time, HH:MM: its own, or that of its tour. Null: none. */
  startTime: string | null;
  returnDate: string | null;
  seatsTotal: number;
  /** Seats that the tenants of the kind have taken. */
  seatsTaken: number;
  /** The kind: true counts the seats of sandbox tenants, false real seats. */
  sandbox: boolean;
  cancelled: boolean;
  /** It has started, or without a start time its date has ended, in the tour's time zone. */
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
  /** HH:MM. Undefined: the only departure of the date. */
  departureTime?: string;
}

/** The place of a departure in a list of its tour. */
export interface DeparturePosition {
  date: string;
  /** HH:MM; null: none. Undefined: after all departures of the date. */
  time?: string | null;
}

/** A request for seats. */
export interface WantedSeats {
  tourId: string;
  /** Null: there is no such departure. */
  departureId: string | null;
  departureDate: string;
  /** The start time of the departure, or the requested one. Null: none. */
  departureTime: string | null;
  quantity: number;
  /** By a sandbox tenant. */
  sandbox: boolean;
}

/**
 * Derives the status. A cancellation holds on any date, so it comes first; then the states that no free seat can change. The SQL
 * function departure_is_open() has the same rule; departure_closes_at() returns its first false instant (0115_departure_times.sql).
 */
export function departureStatus(departure: Departure): DepartureStatus {
  if (departure.cancelled) return 'cancelled';
  if (departure.past) return 'gone';
  if (departure.closed) return 'closed';
  return departure.seatsTaken < departure.seatsTotal ? 'available' : 'sold_out';
}

/** Returns true if the departure is not past, closed or cancelled. It may be sold out. */
export function isOpen(departure: Departure): boolean {
  return !departure.cancelled && !departure.past && !departure.closed;
}

/** Returns the seats that can be sold now: 0 for a departure that is cancelled, gone or closed. */
export function seatsAvailable(departure: Departure): number {
  return departureStatus(departure) === 'available' ? departure.seatsTotal - departure.seatsTaken : 0;
}
