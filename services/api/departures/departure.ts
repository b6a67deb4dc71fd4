import type { Prices } from '../pricing/prices';

export type DepartureStatus = 'available' | 'sold_out' | 'cancelled' | 'gone' | 'closed';

/** One travel date of a tour, as it stood at `asOf` by the database's clock. The same for every tenant. */
export interface Departure {
  id: string;
  tourId: string;
  departureDate: string;
  returnDate: string | null;
  seatsTotal: number;
  seatsTaken: number;
  cancelled: boolean;
  /** The date is over in the tour's own time zone. */
  past: boolean;
  /** Its closing time has come. */
  closed: boolean;
  prices: Prices;
  asOf: Date;
}

/**
 * A cancellation stays true whatever the date, so it comes first; then what no seat can change. In SQL the rule of what
 * is still open is departure_is_open() of the schema.
 */
export function departureStatus(departure: Departure): DepartureStatus {
  if (departure.cancelled) return 'cancelled';
  if (departure.past) return 'gone';
  if (departure.closed) return 'closed';
  return departure.seatsTaken < departure.seatsTotal ? 'available' : 'sold_out';
}

/** Seats somebody could take now: none of a departure that is cancelled, gone or closed. */
export function seatsAvailable(departure: Departure): number {
  return departureStatus(departure) === 'available' ? departure.seatsTotal - departure.seatsTaken : 0;
}
