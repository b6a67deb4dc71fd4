import type { BookingLead } from '../bookings/booking-lead';
import type { SeatHold } from '../holds/seat-hold';
import type { Decided } from './decided';
import type { Seller } from './sale';
import type { SaleFacts } from './read/sale-facts';

/** A change of a stored hold or booking: the rows that it locks and reads, and its decision. */
export interface StoredChange<Result = unknown> extends Seller<Result> {
  kind: 'change';
  /** The departures to lock: the present one and, for a move, the new one. Empty: a booking without a date. */
  departureIds: string[];
  /** The tour after the change. Its price rules are read. Null: the change needs no tour. */
  tour: { id: string } | null;
  /** The hold to read. Null: the change needs none. */
  holdId: string | null;
  /** The booking to lock and to read. Null: the change needs none. */
  leadId: number | null;
  /** True: if the tenant does not see the tour, no refusal may name its dates. False: the decision checks that the tenant sees it. */
  hidesDates: boolean;
  /** True: the decision may make a booking, which needs a number. */
  makesBooking?: boolean;
  /**
   * Decides by the facts that were read under the locks.
   * @throws AppError: the refusal
   */
  decide(facts: ChangeFacts): Decided<Result>;
}

/** The facts of a change: those of a sale, and the stored rows as they are under the locks. */
export interface ChangeFacts extends SaleFacts {
  /** The hold `holdId`, if it exists. */
  hold: StoredHold | undefined;
  /** The booking `leadId`, if it exists. */
  lead: StoredLead | undefined;
}

export interface StoredHold extends SeatHold {
  /** Seconds from the clock reading to the latest end that extensions can reach. */
  lifeSecondsLeft: number;
}

export interface StoredLead extends BookingLead {
  /** The updated_at of this change, with microseconds. */
  nextUpdatedAt: string;
}
