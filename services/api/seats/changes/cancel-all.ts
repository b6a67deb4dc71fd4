import type { BookingLead } from '../../bookings/booking-lead';
import {
  cancelLeads,
  findLeadsById,
  type LeadStatus,
  lockStandingLeads,
} from '../../bookings/booking-lead.repository';
import { bookingOutcome } from '../../bookings/booking-status';
import { enqueueBookingEvents } from '../../bookings/booking-events';
import type { Departure } from '../../departures/departure';
import type { Actor } from '../../tenants/actor';
import { datesOfBothKinds } from '../after-commit';
import type { BulkChange } from '../bulk-change';

/**
 * Builds the cancellation of the standing bookings of a departure, also those of the sandbox, with their events. Its result are the bookings
 * as they were before, the oldest first.
 */
export function cancelAll(
  { id, tour, departureDate }: Departure,
  cancellation: { by: Actor; reason: string | null },
): BulkChange<BookingLead[]> {
  return {
    departureIds: [id],
    change: async (trx) => {
      const leads = cancelledLeads(await lockStandingLeads(trx, id));
      const ids = leads.map((lead) => lead.id);
      const result = await findLeadsById(trx, ids);
      await cancelLeads(trx, leads, cancellation);
      await enqueueBookingEvents(trx, 'booking.cancelled', await findLeadsById(trx, ids));
      return { result, changed: ids.length > 0 ? datesOfBothKinds(tour.id, departureDate) : [] };
    },
  };
}

/** Returns the leads with the status that a cancellation gives them, without those that it does not change. @throws BookingStateConflictError */
export function cancelledLeads(leads: LeadStatus[]): LeadStatus[] {
  return leads.flatMap((lead) => {
    const status = bookingOutcome(lead, 'cancel');
    return status === 'stay' ? [] : [{ id: lead.id, status }];
  });
}
