import type { Actor } from '../tenants/actor';
import type { PaymentMethod } from '../tenants/tenant';

export const BOOKING_STATUSES = ['pending_payment', 'confirmed', 'cancelled', 'expired'] as const;
export type BookingStatus = (typeof BOOKING_STATUSES)[number];

export interface Customer {
  name: string;
  phone: string;
  email: string;
}

/** Of a lead that was anonymised nothing is left (ADR 23). */
export type KeptCustomer = Customer | { name: null; phone: null; email: null };

/** A booking, and who wants something of it. */
export interface NamedBooking {
  bookingRef: string;
  /** Null: nobody who is on record. */
  by: Actor | null;
}

/** Before is as it was when it was locked. */
export interface ChangedBooking {
  before: BookingLead;
  after: BookingLead;
}

/** What a tenant's customer asked for, at which price, and how far its payment is. Money in minor units. */
export interface BookingLead {
  id: number;
  bookingRef: string;
  tenant: { id: string; slug: string };
  tour: { id: string; slug: string };
  /** Null: booked without a date; nothing is reserved. */
  departureId: string | null;
  departureDate: string | null;
  holdId: string | null;
  adults: number;
  /** As the clock has it: an unpaid lead past its payment window reads expired, whether or not that was written down. */
  status: BookingStatus;
  unitPriceMinor: number;
  totalMinor: number;
  depositMinor: number;
  currency: string;
  currencyDigits: number;
  priceBreakdown: Record<string, unknown>;
  paymentMethod: PaymentMethod;
  externalRef: string | null;
  source: string;
  customer: KeptCustomer;
  notes: string | null;
  createdAt: Date;
  paymentDueAt: Date | null;
  createdBy: Actor | null;
  confirmedAt: Date | null;
  confirmedBy: Actor | null;
  cancelledAt: Date | null;
  cancelledBy: Actor | null;
  /** When that was written down; see paymentDueAt for when it was. */
  expiredAt: Date | null;
  anonymizedAt: Date | null;
}
