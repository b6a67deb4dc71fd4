import type { BookingLead } from '../bookings/booking-lead';
import type { DepartureChoice } from '../departures/choose-departure';
import type { SeatHold } from '../holds/seat-hold';
import type { HoldSale, Sale } from './sale';
import type { StoredChange } from './stored-change';

/** Every request that changes seats: it creates a hold or a booking, or changes a stored one. */
export type SeatChange = Sale | StoredChange;

/** The result of a granted change. */
export type ResultOf<C extends SeatChange> =
  C extends StoredChange<infer Result> ? Result : C extends HoldSale ? SeatHold : BookingLead;

/** Returns the ids of the departures that the change locks. */
export function departuresToLock(change: SeatChange): string[] {
  if (change.kind === 'change') return change.departureIds;
  return change.departureId === null ? [] : [change.departureId];
}

/** Returns the different departures of a change, the present one first. */
export function departuresOfMove(present: string | null, to: DepartureChoice): string[] {
  return [...new Set([present, to.departureId])].filter((id) => id !== null);
}
