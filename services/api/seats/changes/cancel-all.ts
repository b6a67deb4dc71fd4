import type { BookingLead } from '../../bookings/booking-lead';
import { cancelLeads, findLeadsById, lockStandingLeads } from '../../bookings/booking-lead.repository';
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
      const ids = await lockStandingLeads(trx, id);
      const result = await findLeadsById(trx, ids);
      await cancelLeads(trx, ids, cancellation);
      await enqueueBookingEvents(trx, 'booking.cancelled', await findLeadsById(trx, ids));
      return { result, changed: ids.length > 0 ? datesOfBothKinds(tour.id, departureDate) : [] };
    },
  };
}
