import type { Actor } from '../tenants/actor';

export const HOLD_STATUSES = ['active', 'released', 'expired', 'converted'] as const;
export type HoldStatus = (typeof HOLD_STATUSES)[number];

/** What a tenant told about its customer; all null once that was anonymised. */
export interface PartialCustomer {
  name: string | null;
  phone: string | null;
  email: string | null;
}

/** A hold, and who wants something of it. */
export interface NamedHold {
  holdId: string;
  /** Null: nobody who is on record. */
  by: Actor | null;
}

/** Seats of one departure, and their price, kept for one tenant until `expiresAt` or until they are booked. */
export interface SeatHold {
  id: string;
  tenant: { id: string; slug: string };
  tour: { id: string; slug: string };
  departureId: string;
  departureDate: string;
  quantity: number;
  holdMinutes: number;
  /** As the clock has it: an active hold whose time is over reads expired, whether or not that was written down. */
  status: HoldStatus;
  expiresAt: Date;
  unitPriceMinor: number;
  currency: string;
  currencyDigits: number;
  priceBreakdown: Record<string, unknown>;
  externalRef: string | null;
  customer: PartialCustomer;
  createdAt: Date;
  placedBy: Actor | null;
  /** When its end was written down; that of a converted hold is the booking's beginning. */
  endedAt: Date | null;
  endedBy: Actor | null;
  /** Seats of the departure that are free besides. */
  seatsAvailable: number;
}

/** An extension that made the hold longer. */
export interface HoldExtension {
  at: Date;
  /** Its new end. */
  expiresAt: Date;
  by: Actor | null;
}
