import type { BookingLead } from '../../../services/api/bookings/booking-lead';
import { toMajor } from '../../../services/api/money/currency';
import { HIDDEN } from '../../../services/platform/mask-personal-data';
import { toCustomerDocument, toReferenceDocument } from '../../customer-document';

/** A booking in lists and in the audit log, without the customer. */
export function toBookingDocument(lead: BookingLead, reveal = false) {
  return {
    booking_ref: lead.bookingRef,
    lead_id: lead.id,
    tenant: lead.tenant.slug,
    tour: lead.tour.slug,
    departure_date: lead.departureDate,
    adults: lead.adults,
    status: lead.status,
    total_price: toMajor(lead.totalMinor, lead.currencyDigits),
    deposit_total: toMajor(lead.depositMinor, lead.currencyDigits),
    currency: lead.currency,
    payment_method: lead.paymentMethod,
    external_ref: toReferenceDocument(lead.externalRef, lead.customer, reveal),
    source: lead.source,
    hold_id: lead.holdId,
    created_at: lead.createdAt.toISOString(),
    payment_due_at: lead.paymentDueAt?.toISOString() ?? null,
    anonymized_at: lead.anonymizedAt?.toISOString() ?? null,
  };
}

/** One booking as `show` prints it, with its customer and how its price came about; what is personal is masked unless revealed. */
export function toBookingDetailDocument(lead: BookingLead, reveal: boolean) {
  return {
    ...toBookingDocument(lead, reveal),
    unit_price: toMajor(lead.unitPriceMinor, lead.currencyDigits),
    customer: toCustomerDocument(lead.customer, reveal),
    notes: lead.notes === null || reveal ? lead.notes : HIDDEN,
    price_breakdown: lead.priceBreakdown,
  };
}
