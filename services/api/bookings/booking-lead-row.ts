import type { Actor } from '../tenants/actor';
import type { PaymentMethod } from '../tenants/tenant';
import type { BookingLead, BookingStatus, KeptCustomer } from './booking-lead';

/** As the clock has it. */
export const LEAD_STATUS = `case when lead_lapsed(l.status, l.payment_due_at, clock.at) then 'expired' else l.status end`;

/** Of LEAD_TABLES: what toLead reads. */
export const LEAD_COLUMNS = `
  l.id, l.booking_ref, l.tenant_id, n.slug as tenant_slug, l.tour_id, t.slug as tour_slug, l.departure_id,
  l.departure_date, l.hold_id, l.adults, ${LEAD_STATUS} as status, l.unit_price_minor, l.total_minor, l.deposit_minor,
  l.currency, l.currency_digits, l.price_breakdown, l.payment_method, l.external_ref, l.source, l.customer_name,
  l.customer_phone, l.customer_email, l.notes, l.created_at, l.payment_due_at, l.created_by, l.confirmed_at, l.confirmed_by,
  l.cancelled_at, l.cancelled_by, l.expired_at, l.anonymized_at`;

/** After CLOCK. */
export const LEAD_TABLES =
  'clock, booking_leads l join tours t on t.id = l.tour_id join tenants n on n.id = l.tenant_id';

interface LeadRow {
  id: number;
  booking_ref: string;
  tenant_id: string;
  tenant_slug: string;
  tour_id: string;
  tour_slug: string;
  departure_id: string | null;
  departure_date: string | null;
  hold_id: string | null;
  adults: number;
  status: BookingStatus;
  unit_price_minor: number;
  total_minor: number;
  deposit_minor: number;
  currency: string;
  currency_digits: number;
  price_breakdown: Record<string, unknown>;
  payment_method: PaymentMethod;
  external_ref: string | null;
  source: string;
  customer_name: string | null;
  customer_phone: string | null;
  customer_email: string | null;
  notes: string | null;
  created_at: Date;
  payment_due_at: Date | null;
  created_by: Actor | null;
  confirmed_at: Date | null;
  confirmed_by: Actor | null;
  cancelled_at: Date | null;
  cancelled_by: Actor | null;
  expired_at: Date | null;
  anonymized_at: Date | null;
}

export function toLead(row: LeadRow): BookingLead {
  return {
    id: row.id,
    bookingRef: row.booking_ref,
    tenant: { id: row.tenant_id, slug: row.tenant_slug },
    tour: { id: row.tour_id, slug: row.tour_slug },
    departureId: row.departure_id,
    departureDate: row.departure_date,
    holdId: row.hold_id,
    adults: row.adults,
    status: row.status,
    unitPriceMinor: row.unit_price_minor,
    totalMinor: row.total_minor,
    depositMinor: row.deposit_minor,
    currency: row.currency,
    currencyDigits: row.currency_digits,
    priceBreakdown: row.price_breakdown,
    paymentMethod: row.payment_method,
    externalRef: row.external_ref,
    source: row.source,
    // The schema has all three or none.
    customer: {
      name: row.customer_name,
      phone: row.customer_phone,
      email: row.customer_email,
    } as KeptCustomer,
    notes: row.notes,
    createdAt: row.created_at,
    paymentDueAt: row.payment_due_at,
    createdBy: row.created_by,
    confirmedAt: row.confirmed_at,
    confirmedBy: row.confirmed_by,
    cancelledAt: row.cancelled_at,
    cancelledBy: row.cancelled_by,
    expiredAt: row.expired_at,
    anonymizedAt: row.anonymized_at,
  };
}
