import type { Trx } from '../../platform/database';
import { bookingEvent, enqueueDelivery } from '../../webhook-queue/enqueue-delivery';
import { toMajor } from '../pricing/currency';
import type { BookingLead } from './booking-lead';

/** Records the event and its deliveries to the tenant's endpoints, in the transaction that changed the lead. */
export async function enqueueBookingEvent(
  trx: Trx,
  type: 'booking.created' | 'booking.confirmed' | 'booking.cancelled',
  lead: BookingLead,
): Promise<void> {
  const event = bookingEvent(type, {
    tenantId: lead.tenant.id,
    bookingRef: lead.bookingRef,
    leadId: lead.id,
    source: lead.source,
    externalRef: lead.externalRef,
    customer: lead.customer,
    departureDate: lead.departureDate,
    totalPrice: toMajor(lead.totalMinor, lead.currencyDigits),
  });
  await enqueueDelivery(trx, event);
}
