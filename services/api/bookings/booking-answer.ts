import { toMajor } from '../money/currency';
import type { BookingAnswer, BookingDetail, BookingFields, BookingItem, PriceBreakdown } from './booking.dto';
import type { BookingLead } from './booking-lead';

export function bookingAnswer(lead: BookingLead): BookingAnswer {
  return { ok: true, ...fields(lead) };
}

export function bookingItem(lead: BookingLead): BookingItem {
  return { ...fields(lead), customer: lead.customer, notes: lead.notes };
}

export function bookingDetail(lead: BookingLead): BookingDetail {
  return { ok: true, ...bookingItem(lead) };
}

function fields(lead: BookingLead): BookingFields {
  return {
    booking_ref: lead.bookingRef,
    lead_id: lead.id,
    tenant: lead.tenant,
    total_price: toMajor(lead.totalMinor, lead.currencyDigits),
    deposit_total: toMajor(lead.depositMinor, lead.currencyDigits),
    status: lead.status,
    currency: lead.currency,
    tour: lead.tour,
    departure_date: lead.departureDate,
    adults: lead.adults,
    external_ref: lead.externalRef,
    payment_method: lead.paymentMethod,
    source: lead.source,
    created_at: lead.createdAt.toISOString(),
    payment_due_at: lead.paymentDueAt?.toISOString() ?? null,
    price_breakdown: lead.priceBreakdown as unknown as PriceBreakdown,
  };
}
