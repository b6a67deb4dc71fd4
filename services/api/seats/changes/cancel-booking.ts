import type { Db } from '../../../platform/database/database';
import { BookingStateConflictError } from '../../bookings/booking.errors';
import type { ChangedBooking, NamedBooking } from '../../bookings/booking-lead';
import { awaitsPayment, bookingOutcome } from '../../bookings/booking-status';
import { getBookingPlace } from '../../bookings/find-booking';
import { assertRefundAmount, decideRefund, type RefundChoice } from '../../bookings/refund';
import type { Actor } from '../../tenants/actor';
import type { Tenant } from '../../tenants/tenant';
import type { Decided } from '../decided';
import type { DepartureFacts, StoredLead } from '../read/facts';
import { replaceSeats } from '../rules/counted-seats';
import { freeingOnly, type SeatChange, type Seller } from '../seat-change';
import { changeOfBooking, statusChange, unchangedBooking } from '../stored-booking';

/** The actor, the reason and the refund of a cancellation. */
export interface Cancellation extends RefundChoice {
  /** Null: unknown. */
  by: Actor | null;
  reason: string | null;
}

/** Builds the cancellation of a booking. @throws BookingNotFoundError (404); the decision the errors of decideCancellation */
export async function cancelBooking(
  db: Db,
  seller: Seller<ChangedBooking>,
  { bookingRef, ...cancellation }: NamedBooking & Cancellation,
): Promise<SeatChange<ChangedBooking>> {
  const found = await getBookingPlace(db, seller.tenant.id, bookingRef);
  return freeingOnly(
    changeOfBooking(seller, found, (lead, facts) =>
      decideCancellation(facts, seller.tenant, lead, cancellation),
    ),
  );
}

/**
 * Cancels a booking; its seats become free, and the refund is stored. A cancelled booking keeps its first reason and its refund, stays
 * unchanged and has no event.
 * @throws InvalidInputError (400); BookingStateConflictError for an expired booking, and for the operator's refund of a booking that was
 *   never confirmed; RefundChangedError (409)
 */
export function decideCancellation(
  facts: DepartureFacts,
  tenant: Tenant,
  lead: StoredLead,
  { by, reason, ...choice }: Cancellation,
): Decided<ChangedBooking> {
  assertRefundAmount(choice, lead);
  const status = bookingOutcome(lead, 'cancel');
  if (status === 'stay') return unchangedBooking(lead);
  if (choice.refundPercent !== undefined && awaitsPayment(lead))
    throw new BookingStateConflictError(lead.status, 'refunded');
  const refund = decideRefund(lead, new Date(facts.at), choice);
  replaceSeats(facts, tenant, lead, null);
  return statusChange(lead, { status, by, at: facts.at, reason, refund });
}
