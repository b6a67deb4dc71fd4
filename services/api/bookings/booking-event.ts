import { bookingEvent, type WebhookEvent } from '../../webhook-queue/enqueue-delivery';
import { toMajor } from '../money/currency';
import type { BookingLead } from './booking-lead';

/** What a tenant's receiver is told of a lead. */
export function bookingLeadEvent(
  type: 'booking.created' | 'booking.confirmed' | 'booking.cancelled',
  lead: BookingLead,
): WebhookEvent {
  return bookingEvent(type, {
    tenantId: lead.tenant.id,
    bookingRef: lead.bookingRef,
    leadId: lead.id,
    source: lead.source,
    externalRef: lead.externalRef,
    customer: lead.customer,
    departureDate: lead.departureDate,
    totalPrice: toMajor(lead.totalMinor, lead.currencyDigits),
  });
}
