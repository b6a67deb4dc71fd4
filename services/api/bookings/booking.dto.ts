import type { TourRef } from '../catalog/tour';
import { toMajor } from '../pricing/currency';
import type { BookingLead } from './booking-lead';

/**
 * @example {"tour_id": "ha-long-bay-cruise", "departure_date": "2027-03-06", "adults": 2, "name": "Ana Lima",
 *   "phone": "+49 30 901820", "email": "ana@example.com", "external_ref": "cart-81"}
 */
export interface BookingBody {
  /** UUID or slug of the tour. */
  tour_id: string;
  /** YYYY-MM-DD. When given, seats are reserved with the lead. By default the date of the hold that the booking consumes. */
  departure_date?: string;
  /** The customer's name. */
  name: string;
  phone: string;
  email: string;
  /**
   * Number of travellers; by default 1.
   * @isInt must be a whole number
   * @minimum 1 must be at least 1
   * @maximum 50 must be at most 50
   */
  adults?: number;
  /** By default the tenant's. `reserve` takes no deposit. */
  payment_method?: 'bank' | 'reserve' | 'card';
  /**
   * The website's own reference; by default the reference of the hold. Without hold_id, the booking consumes the only live hold
   * with the same reference on its date, or on any date of its tour if it has no date.
   */
  external_ref?: string;
  /** A live hold to turn into this booking, at its locked price. */
  hold_id?: string;
  /** The total that the customer saw, in major units. A different total is refused. */
  expected_total?: number;
  notes?: string;
}

export interface TenantRef {
  id: string;
  /** @example "acme" */
  slug: string;
}

/** All null after the booking was anonymised. */
export interface BookingCustomer {
  name: string | null;
  phone: string | null;
  email: string | null;
}

/** The calculation of the price. */
export interface PriceBreakdown {
  platform_unit_price: number;
  unit_price: number;
  /** @isInt */
  adults: number;
  deposit_percent: number;
  rule: PriceBreakdownRule | null;
}

export interface PriceBreakdownRule {
  /**
   * Id of the pricing rule.
   * @isInt
   * @example 7
   */
  id: number;
  applies_to: 'tour' | 'continent' | 'all';
  kind: 'percent' | 'amount' | 'price';
  value: number;
}

export interface BookingFields {
  /** The tenant's prefix, a dash, and lead_id. */
  booking_ref: string;
  /** @isInt */
  lead_id: number;
  tenant: TenantRef;
  total_price: number;
  deposit_total: number;
  status: 'pending_payment' | 'confirmed' | 'cancelled' | 'expired';
  currency: string;
  tour: TourRef;
  /** YYYY-MM-DD */
  departure_date: string | null;
  /** @isInt */
  adults: number;
  external_ref: string | null;
  payment_method: 'bank' | 'reserve' | 'card';
  source: string;
  created_at: string;
  /** When an unpaid booking expires; null: never. */
  payment_due_at: string | null;
  price_breakdown: PriceBreakdown;
}

export interface BookingAnswer extends BookingFields {
  ok: true;
}

export interface BookingItem extends BookingFields {
  customer: BookingCustomer;
  notes: string | null;
}

export interface BookingDetail extends BookingItem {
  ok: true;
}

export interface BookingPage {
  items: BookingItem[];
  /** Pass as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
}

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
