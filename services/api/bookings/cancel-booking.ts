import type { Trx } from '../../platform/database';
import { enqueueDelivery } from '../../webhook-queue/enqueue-delivery';
import { relockDeparture } from '../departures/reserve-seats';
import { always, type Once, type Replay } from '../idempotency/once';
import type { TenantScope } from '../tenants/tenant-scope';
import { BookingStateConflictError } from './booking.errors';
import { bookingLeadEvent } from './booking-event';
import type { ChangedBooking, NamedBooking } from './booking-lead';
import { lockLead, setLeadStatus } from './booking-lead.repository';
import { getBooking } from './find-booking';

/**
 * Ends a lead that stands; its seats come back.
 * @throws BookingNotFoundError (404), BookingStateConflictError (409)
 */
export async function cancelBooking(
  trx: Trx,
  scope: TenantScope,
  { bookingRef, by }: NamedBooking,
  once: Once<ChangedBooking> = always,
): Promise<ChangedBooking | Replay> {
  const { id, departureId } = await getBooking(trx, scope, bookingRef);
  return once({ booking: bookingRef }, async () => {
    if (departureId) await relockDeparture(trx, departureId);
    await lockLead(trx, id);
    const lead = await getBooking(trx, scope, bookingRef);
    if (lead.status === 'cancelled' || lead.status === 'expired') {
      throw new BookingStateConflictError(lead.status, 'cancelled');
    }
    await setLeadStatus(trx, id, 'cancelled', by);
    const cancelled = await getBooking(trx, scope, bookingRef);
    await enqueueDelivery(trx, bookingLeadEvent('booking.cancelled', cancelled));
    return { before: lead, after: cancelled };
  });
}
