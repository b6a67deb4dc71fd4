import type { Db } from '../../platform/database/database';
import { BookingStateConflictError } from '../bookings/booking.errors';
import type { BookingLead, ChangedBooking, NamedBooking, Refund } from '../bookings/booking-lead';
import { columnsOfLead } from '../bookings/booking-lead.repository';
import { eventOfLead } from '../bookings/change-booking';
import { assertRefundAmount, decideRefund, type RefundChoice } from '../bookings/refund';
import { getBookingPlace } from '../bookings/find-booking';
import { TourNotFoundError } from '../catalog/catalog.errors';
import type { Departure } from '../departures/departure';
import { DepartureCancelledError } from '../departures/departure.errors';
import { assertFree, assertSeatsLeft, wantedOf } from '../departures/check-seats';
import type { Actor } from '../tenants/actor';
import type { Tenant } from '../tenants/tenant';
import { assertVisible } from './decide/departure-rules';
import { countedKey, type SaleFacts, viewKey } from './read/sale-facts';
import type { Seller } from './sale';
import { changeOfBooking, unchangedBooking } from './stored-booking';
import { datesOfLead, type Decided } from './decided';
import type { StoredChange, StoredLead } from './stored-change';

/** A paid booking, and the actor of its confirmation. */
export interface Confirmation extends NamedBooking {
  /** True: an operator, who also confirms an expired booking whose departure is closed or past, or whose tour its tenant does not see. */
  byOperator?: boolean;
}

/** Builds the confirmation of a paid booking. @throws BookingNotFoundError (404); the decision the errors of decideConfirmation */
export async function prepareConfirmation(
  db: Db,
  seller: Seller<ChangedBooking>,
  { bookingRef, ...confirmation }: Confirmation,
): Promise<StoredChange<ChangedBooking>> {
  const found = await getBookingPlace(db, seller.tenant.id, bookingRef);
  return changeOfBooking(seller, found, (lead, facts) =>
    decideConfirmation(facts, seller.tenant, lead, confirmation),
  );
}

/**
 * Confirms a paid booking. An expired booking takes its seats again like a new sale: the tenant must see the tour, and the departure must be
 * open and have free seats. An operator's confirmation needs the free seats only, because the guest may have paid in time. The rate of the
 * tour may be missing, because the price is locked. The tenant's share of the departure does not limit the seats, because they are paid. A
 * confirmed booking stays unchanged and has no event.
 * @throws BookingStateConflictError for a cancelled booking, DepartureCancelledError (409), and for an expired booking TourNotFoundError
 *   (404), DepartureGoneError, InsufficientSeatsError (409)
 */
export function decideConfirmation(
  facts: SaleFacts,
  tenant: Tenant,
  lead: StoredLead,
  { by, byOperator = false }: Omit<Confirmation, 'bookingRef'>,
): Decided<ChangedBooking> {
  if (lead.status === 'confirmed') return unchangedBooking(lead);
  if (lead.status === 'cancelled') throw new BookingStateConflictError(lead.status, 'confirmed');
  const departure = departureOf(facts, lead);
  const isExpired = lead.status === 'expired';
  if (isExpired && !byOperator) assertShown(facts, tenant, lead, departure);
  // Refuses a cancelled departure even if the booking is paid, because nobody will travel.
  if (departure?.cancelled) throw new DepartureCancelledError(wantedOf(departure, lead.seats));
  if (isExpired && departure) {
    if (byOperator) assertSeatsLeft(departure, lead.seats);
    else assertFree(departure, lead.seats);
  }
  return statusChange(lead, { status: 'confirmed', by, at: facts.at });
}

/** The actor, the reason and the refund of a cancellation. */
export interface Cancellation extends RefundChoice {
  /** Null: unknown. */
  by: Actor | null;
  reason: string | null;
}

/** Builds the cancellation of a booking. @throws BookingNotFoundError (404); the decision the errors of decideCancellation */
export async function prepareCancellation(
  db: Db,
  seller: Seller<ChangedBooking>,
  { bookingRef, ...cancellation }: NamedBooking & Cancellation,
): Promise<StoredChange<ChangedBooking>> {
  const found = await getBookingPlace(db, seller.tenant.id, bookingRef);
  return changeOfBooking(seller, found, (lead, { at }) => decideCancellation(lead, at, cancellation));
}

/**
 * Cancels a booking; its seats become free, and the refund is stored. A cancelled booking keeps its first reason and its refund, stays
 * unchanged and has no event.
 * @param at the clock reading under the lock
 * @throws InvalidInputError (400); BookingStateConflictError for an expired booking, and for the operator's refund of a booking that was
 *   never confirmed; RefundChangedError (409)
 */
export function decideCancellation(
  lead: StoredLead,
  at: string,
  { by, reason, ...choice }: Cancellation,
): Decided<ChangedBooking> {
  assertRefundAmount(choice, lead);
  if (lead.status === 'cancelled') return unchangedBooking(lead);
  if (lead.status === 'expired') throw new BookingStateConflictError(lead.status, 'cancelled');
  if (choice.refundPercent !== undefined && lead.confirmedAt === null)
    throw new BookingStateConflictError(lead.status, 'refunded');
  const refund = decideRefund(lead, new Date(at), choice);
  return statusChange(lead, { status: 'cancelled', by, at, reason, refund });
}

function departureOf(
  { departures }: SaleFacts,
  { departureId, sandbox }: BookingLead,
): Departure | undefined {
  return departureId === null ? undefined : departures.get(countedKey(departureId, sandbox));
}

/** Checks that the tenant's visibility rules show the tour of the booking. @throws TourNotFoundError (404) */
function assertShown(
  facts: SaleFacts,
  tenant: Tenant,
  { tour }: BookingLead,
  departure: Departure | undefined,
): void {
  if (departure) return assertVisible(facts, tenant, departure);
  if (!facts.undatedTours.has(viewKey(tenant.id, tour.id))) throw new TourNotFoundError();
}

interface NewStatus {
  status: 'confirmed' | 'cancelled';
  by: Actor | null;
  at: string;
  /** The reason of a cancellation. It is not stored for an anonymized booking, because it may name the customer. */
  reason?: string | null;
  refund?: Refund | null;
}

function statusChange(
  lead: StoredLead,
  { status, by, at, reason, refund = null }: NewStatus,
): Decided<ChangedBooking> {
  const cancelReason = lead.anonymizedAt ? null : (reason ?? lead.cancelReason);
  const done =
    status === 'confirmed'
      ? { confirmedAt: new Date(at), confirmedBy: by }
      : { cancelledAt: new Date(at), cancelledBy: by };
  const after = { ...lead, ...done, status, cancelReason, refund, updatedAt: new Date(lead.nextUpdatedAt) };
  return {
    result: { before: lead, after },
    lead: {
      id: lead.id,
      columns: {
        ...columnsOfLead({ status, cancelReason, refund }),
        [`${status}_at`]: at,
        [`${status}_by`]: by,
        updated_at: lead.nextUpdatedAt,
      },
    },
    events: [eventOfLead(`booking.${status}`, after)],
    changed: datesOfLead(lead),
  };
}
