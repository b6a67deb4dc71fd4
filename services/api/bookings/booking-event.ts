import type { Trx } from '../../platform/database';
import { bookingEvent, enqueueDelivery } from '../../webhook-queue/enqueue-delivery';
import { toMajor } from '../pricing/currency';
import type { BookingLead } from './booking-lead';

/** Records the events and their deliveries to the tenants' endpoints, in the transaction that changed the leads. */
export async function enqueueBookingEvents(
  trx: Trx,
  type: 'booking.created' | 'booking.confirmed' | 'booking.updated' | 'booking.cancelled',
  leads: BookingLead[],
): Promise<void> {
  const events = leads.map((lead) =>
    bookingEvent(type, {
      tenantId: lead.tenant.id,
      bookingRef: lead.bookingRef,
      leadId: lead.id,
      externalRef: lead.externalRef,
      customer: lead.customer,
      departureDate: lead.departureDate,
      totalPrice: toMajor(lead.totalMinor, lead.currencyDigits),
    }),
  );
  await enqueueDelivery(trx, ...events);
}
