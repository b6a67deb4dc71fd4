import { type Fields, stored } from '../../platform/database/row-description';
import { withGiven } from '../audit/changed-fields';
import type { DatedTier } from '../catalog/cancellation-policy';
import type { PriceCalculation } from '../pricing/explained-rules';
import type { Actor } from '../tenants/actor';
import type { HoldStatus } from './hold-status';
import { type OctoDetails, peopleOfOcto } from './octo-booking';
import type { Category } from '../parties/category';
import type { Party, Prices } from '../parties/party-rules';

/** The customer's data, as far as the tenant sent them. All null after anonymization (ADR 23). */
export interface PartialCustomer {
  name: string | null;
  phone: string | null;
  /** The text of which `phone` is a part (tenants/phone.ts). Null or undefined: the text says no more than the number. */
  phoneAsSent?: string | null;
  email: string | null;
}

/** Returns the customer after a change. A new phone replaces the text of the old one too. */
export function withGivenCustomer(now: PartialCustomer, given: Partial<PartialCustomer>): PartialCustomer {
  const merged = withGiven(now, given);
  return given.phone === undefined ? merged : { ...merged, phoneAsSent: given.phoneAsSent ?? null };
}

/** Returns the customer of a hold and the people of its OCTO details, to find texts that identify them. */
export function peopleOfHold({ customer, octo }: Pick<SeatHold, 'customer' | 'octo'>): PartialCustomer[] {
  return [customer, ...(octo ? peopleOfOcto(octo) : [])];
}

/** The customer in an answer. */
export interface CustomerAnswer {
  name: string | null;
  phone: string | null;
  /** Only if the text said more than the number. Null: it did, and the API key may not read it. */
  phone_as_sent?: string | null;
  email: string | null;
}

export function customerAnswer({ name, phone, phoneAsSent, email }: PartialCustomer): CustomerAnswer {
  return { name, phone, phone_as_sent: phoneAsSent ?? undefined, email };
}

/** Columns of a row with their values. An undefined value is not written. */
export type StoredColumns = Record<string, unknown>;

/** Describes the customer of a hold or lead. @param row the name of its table in the statement */
export function customerFields(row: string): Fields<PartialCustomer> {
  return {
    name: stored(`${row}.customer_name`),
    phone: stored(`${row}.customer_phone`),
    phoneAsSent: stored(`${row}.customer_phone_as_sent`),
    email: stored(`${row}.customer_email`),
  };
}

/** Returns the personal values that the history of a hold or booking compares. */
export function comparedCustomer({ name, phone, phoneAsSent, email }: PartialCustomer) {
  return { name, phone: [phone, phoneAsSent ?? null], email };
}

/** The hold that a request amends, extends or releases, and the actor of this change. */
export interface NamedHold {
  holdId: string;
  /** Null: unknown. */
  by: Actor | null;
}

/** Seats of one departure, held for one tenant at a locked price until `expiresAt` or until a booking consumes them. */
export interface SeatHold {
  id: string;
  tenant: { id: string; slug: string };
  tour: { id: string; slug: string };
  departureId: string;
  departureDate: string;
  /** HH:MM; null: none. */
  departureTime: string | null;
  party: Party;
  /** The seats that the party takes. */
  seats: number;
  /** The categories of the tour, as the hold has locked them. */
  categories: readonly Category[];
  holdMinutes: number;
  /** `expired` once the database's clock has reached `expiresAt`, also if no sweep has marked the hold (hold_lapsed, 0161_statuses.sql). */
  status: HoldStatus;
  expiresAt: Date;
  /** The locked prices by category. */
  prices: Prices;
  /** As LockedPrice has them. */
  platformPrices: Partial<Prices>;
  currency: string;
  currencyDigits: number;
  priceBreakdown: PriceCalculation;
  /** The locked tiers of the cancellation policy. Null: not stated. */
  tiers: DatedTier[] | null;
  externalRef: string | null;
  customer: PartialCustomer;
  /** Null: placed by REST. */
  octo: OctoDetails | null;
  createdAt: Date;
  placedBy: Actor | null;
  /** When the hold was released, expired or became a booking. Null: the hold is active, or no sweep has marked its expiry. */
  endedAt: Date | null;
  endedBy: Actor | null;
  /** From this time on, the hold has no data of the customer (ADR 23). Null: it may have some. */
  anonymizedAt: Date | null;
  /** Free seats of the departure besides this hold's own; 0 if the departure is cancelled, gone or closed. */
  seatsAvailable: number;
}

/** One extension of a hold. */
export interface HoldExtension {
  at: Date;
  /** The new end of the hold. */
  expiresAt: Date;
  by: Actor | null;
}
