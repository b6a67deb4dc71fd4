import type { BookingLead, BookingSource, Traveller } from '../bookings/booking-lead';
import type { ApiKeyPrincipal } from '../credentials/credential';
import type { NewOctoDetails } from '../holds/octo-booking';
import type { PartialCustomer, SeatHold } from '../holds/seat-hold';
import type { DepartureChoice } from '../departures/choose-departure';
import type { KeyClaim } from '../idempotency/key-claim';
import type { MeantParty } from '../pricing/requested-party';
import type { Actor } from '../tenants/actor';
import type { PaymentMethod, Tenant } from '../tenants/tenant';

/** The tenant that sells, and the credential and Idempotency-Key of its request. */
export interface Seller<Result> {
  tenant: Tenant;
  /** The API key of the request, which is checked again under the locks. Null: the terminal. */
  principal: ApiKeyPrincipal | null;
  /** Null: a request without an Idempotency-Key. A seller with a claim also has a principal. */
  claim: KeyClaim<Result> | null;
  /** The trace of the request. Null: the request has none, or there is no request. */
  traceparent: string | null;
}

/** Returns the seller of a sale that is made without an API key. */
export function sellerWithoutKey(tenant: Tenant): Seller<never> {
  return { tenant, principal: null, claim: null, traceparent: null };
}

/** The party and its seats are by the categories that the tenant saw. The decision counts the seats again by the locked ones. */
interface SaleOf<Result> extends Seller<Result>, DepartureChoice, MeantParty {
  /** The tour that the tenant saw before the departure was locked. */
  tour: { id: string; slug: string };
  /** The departure that the sale locks. Null: a booking without a date, or the request names no existing departure. */
  departureId: string | null;
  /** HH:MM, as the request names it. Undefined: not named. */
  departureTime?: string;
  /** Null: unknown. */
  by: Actor | null;
  externalRef: string | null;
  customer: PartialCustomer;
}

/** A request for a hold that has passed the checks which answer 400 or 404. */
export interface HoldSale extends SaleOf<SeatHold> {
  kind: 'hold';
  departureDate: string;
  holdMinutes: number;
  /** Null: placed by REST. */
  octo: NewOctoDetails | null;
}

/** A request for a booking that has passed the checks which answer 400 or 404. */
export interface BookingSale extends SaleOf<BookingLead> {
  kind: 'booking';
  /** The date of the request, or of its hold. Null: no date. */
  departureDate: string | null;
  /** True: the departure is that of a hold, so the booking needs that hold. */
  needsHold: boolean;
  /** In lower case. */
  holdId: string | null;
  travellers: Traveller[] | null;
  source: BookingSource;
  paymentMethod: PaymentMethod;
  /** The total that the customer saw, in major units. */
  expectedTotal: number | null;
  notes: string | null;
  /** True: the transaction of the sale confirms the booking, so no limit of unpaid bookings or seats counts it. */
  isConfirmed: boolean;
}

/** A request that creates a hold or a booking. */
export type Sale = HoldSale | BookingSale;
export type Sold = SeatHold | BookingLead;
