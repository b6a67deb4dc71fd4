import type { DatedTier } from '../catalog/cancellation-policy';
import type { PartialCustomer } from '../customers/customer';
import type { PriceCalculation } from '../pricing/explained-rules';
import type { Actor } from '../tenants/actor';
import type { HoldStatus } from './hold-status';
import { type OctoDetails, peopleOfOcto } from './octo-booking';
import type { Category } from '../parties/category';
import type { Party, Prices } from '../parties/party-rules';

/** Returns the customer of a hold and the people of its OCTO details, to find texts that identify them. */
export function peopleOfHold({ customer, octo }: Pick<SeatHold, 'customer' | 'octo'>): PartialCustomer[] {
  return [customer, ...(octo ? peopleOfOcto(octo) : [])];
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
  /** True: the desk placed the hold, so the limits of the tenant's websites do not count it. */
  byDesk: boolean;
  /** Null: placed by REST or the desk. */
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

/** The hold as it was when its departure was locked, and after the change. Both are the same object if nothing changed. */
export interface ChangedHold {
  before: SeatHold;
  after: SeatHold;
}
