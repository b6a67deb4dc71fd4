import type { ChangedBooking } from '../bookings/booking-lead';
import type { LeadPlace } from '../bookings/booking-lead.repository';
import { BookingNotFoundError } from '../bookings/booking.errors';
import { assertNotMoved } from '../departures/check-seats';
import type { Seller } from './sale';
import type { Decided } from './decided';
import type { ChangeFacts, StoredChange, StoredLead } from './stored-change';

/**
 * Builds a change of a booking on its present departure.
 * @param found the booking before the lock
 * @param decide gets the booking under the lock
 */
export function changeOfBooking<Result extends ChangedBooking>(
  seller: Seller<Result>,
  found: LeadPlace,
  decide: (lead: StoredLead, facts: ChangeFacts) => Decided<Result>,
): StoredChange<Result> {
  return {
    ...seller,
    kind: 'change',
    departureIds: found.departureId === null ? [] : [found.departureId],
    tour: found.tour,
    holdId: null,
    leadId: found.id,
    hidesDates: false,
    decide: (facts) => decide(lockedLead(facts, found), facts),
  };
}

/**
 * Returns the booking as it is under the locks.
 * @throws BookingNotFoundError (404); SaleChangedError if another request moved it during the wait (409 after three tries)
 */
export function lockedLead({ lead }: ChangeFacts, { departureId }: LeadPlace): StoredLead {
  if (!lead) throw new BookingNotFoundError();
  assertNotMoved('booking', departureId, lead);
  return lead;
}

/** Returns the result of a change that changes nothing. */
export function unchangedBooking(lead: StoredLead): Decided<ChangedBooking> {
  return { result: { before: lead, after: lead }, changed: [] };
}
