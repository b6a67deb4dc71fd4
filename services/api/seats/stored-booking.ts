import { BookingNotFoundError } from '../bookings/booking.errors';
import type { ChangedBooking, Refund } from '../bookings/booking-lead';
import { columnsOfLead, type LeadPlace } from '../bookings/booking-lead.repository';
import { eventOfLead } from '../bookings/booking-events';
import type { DecidedStatus } from '../bookings/booking-status';
import { assertNotMoved } from '../departures/check-seats';
import type { Actor } from '../tenants/actor';
import { datesOfLead, type Decided } from './decided';
import type { SaleFacts, StoredLead } from './read/facts';
import type { SeatChange, Seller } from './seat-change';

/**
 * Builds a change of a booking on its present departure.
 * @param found the booking before the lock
 * @param decide gets the booking under the lock
 */
export function changeOfBooking<Result extends ChangedBooking>(
  seller: Seller<Result>,
  found: LeadPlace,
  decide: (lead: StoredLead, facts: SaleFacts) => Decided<Result>,
): SeatChange<Result> {
  return {
    ...seller,
    locks: { departureIds: found.departureId === null ? [] : [found.departureId], leadId: found.id },
    reads: {},
    isAlone: true,
    decide: (facts) => decide(lockedLead(facts, found), facts),
  };
}

/**
 * Returns the booking as it is under the locks.
 * @throws BookingNotFoundError (404); SaleChangedError if another request moved it during the wait (409 after three tries)
 */
export function lockedLead(facts: SaleFacts, { id, departureId }: LeadPlace): StoredLead {
  const lead = facts.storedLeads.get(id);
  if (!lead) throw new BookingNotFoundError();
  assertNotMoved('booking', departureId, lead);
  return lead;
}

/** Returns the result of a change that changes nothing. */
export function unchangedBooking(lead: StoredLead): Decided<ChangedBooking> {
  return { result: { before: lead, after: lead }, changed: [] };
}

interface NewStatus {
  status: DecidedStatus;
  by: Actor | null;
  at: string;
  /** The reason of a cancellation. It is not stored for an anonymized booking, because it may name the customer. */
  reason?: string | null;
  refund?: Refund | null;
}

/** Returns the change of a booking to another status, with its event. */
export function statusChange(
  lead: StoredLead,
  { status, by, at, reason, refund = null }: NewStatus,
): Decided<ChangedBooking> {
  const cancelReason = lead.anonymizedAt ? null : (reason ?? lead.cancelReason);
  const done: Record<DecidedStatus, Partial<StoredLead>> = {
    confirmed: { confirmedAt: new Date(at), confirmedBy: by },
    cancelled: { cancelledAt: new Date(at), cancelledBy: by },
  };
  const after = {
    ...lead,
    ...done[status],
    status,
    cancelReason,
    refund,
    updatedAt: new Date(lead.nextUpdatedAt),
  };
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
