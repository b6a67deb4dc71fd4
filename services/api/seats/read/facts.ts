import type { LockedDeparture } from '../../departures/departure';
import type { CancellationPolicy } from '../../catalog/cancellation-policy';
import type { TourAsks } from '../../catalog/tour-asks';
import type { ApiKeyPrincipal } from '../../credentials/credential';
import type { BookingLead } from '../../bookings/booking-lead';
import type { SeatHold } from '../../holds/seat-hold';
import type { ConsumableHold } from '../../holds/seat-hold.repository';
import type { PriceRule } from '../../pricing/choose-price-rule';
import type { ExchangeRates } from '../../pricing/convert-price';
import type { Trips } from '../../resources/trips';
import type { PricedTour } from '../../pricing/price-categories';
import type { Actor } from '../../tenants/actor';

/** The facts about locked departures. A sale depends on them, and so does a change of a hold or booking. */
export interface DepartureFacts {
  /** The database's clock reading at which the seats were counted, with microseconds. */
  at: string;
  /** The map key is countedKey. */
  departures: Map<string, LockedDeparture>;
  /** The trips of the resources that the transaction has locked. */
  trips: Trips;
  /**
   * The viewKeys (tenant and departure) of the departures whose tour the tenant's visibility rules show. The rate of the tour may be missing:
   * quotePrices checks it, because a hold keeps its price.
   */
  visible: Set<string>;
  /**
   * The map key is viewKey. The value is the number of seats of the tenant's live holds and unpaid bookings on the departure. All values
   * are 0 if no tenant of the transaction has a limited share.
   */
  unpaidSeats: Map<string, number>;
  /** By tenant id. */
  priceRules: Map<string, PriceRule[]>;
  /** All rates if a tenant of the transaction has a selling currency, otherwise none. */
  rates: ExchangeRates;
}

/**
 * The facts that the sales of one transaction depend on, read under the locks of their departures. Each decision adds its hold or booking
 * to the facts, so that the next decision counts these seats.
 */
export interface SaleFacts extends DepartureFacts {
  /** By tenant id. */
  liveHolds: Map<string, number>;
  /**
   * By tenant id: the trips of resources without a booking that its live holds begin. Has no entry where none of the tenant's holds in the
   * transaction can begin a trip: no resource is locked, or their departures have sold seats.
   */
  holdTrips: Map<string, number>;
  /** By tenant id. */
  unpaidLeads: Map<string, number>;
  /** The viewKeys (tenant and UUID) of wanted OCTO holds whose UUID another OCTO booking already has. */
  takenUuids: Set<string>;
  /** Holds that the bookings name, by id or by reference, and the holds that were granted in this transaction. */
  holds: HeldSeats[];
  /**
   * By referenceKey of the bookings without a date: how many live holds have this reference, on departures at the time that the booking
   * names. A missing entry: no hold has the reference, neither a live nor an ended one.
   */
  references: Map<string, { live: number }>;
  /**
   * The tours of the bookings without a date, with their base price. The map key is viewKey of the tenant and the tour. Contains only tours
   * that the tenant's visibility rules show. quotePrices checks the rate.
   */
  undatedTours: Map<string, UndatedTour>;
  /** Numbers for new bookings, ascending: one for each request that may make a booking. */
  newLeadIds: number[];
  /** The stored holds that changes read, by id. */
  storedHolds: Map<string, StoredHold>;
  /** The bookings that changes lock, by id. */
  storedLeads: Map<number, StoredLead>;
  /** @throws CredentialError when the key was revoked, has expired, or the tenant was suspended (401) */
  assertKeyServes(principal: ApiKeyPrincipal): void;
}

/** Rows of a tenant whose number is limited. `hold`: its live holds. `booking`: its standing unpaid bookings, with or without a date. */
export type CountedKind = 'hold' | 'booking';

export interface StoredHold extends SeatHold {
  /** Seconds from the clock reading to the latest end that extensions can reach. */
  lifeSecondsLeft: number;
}

export interface StoredLead extends BookingLead {
  /** The updated_at of this change, with microseconds. */
  nextUpdatedAt: string;
}

/** The tour of a booking without a date. */
export interface UndatedTour extends PricedTour {
  basePriceMinor: number;
  /** Null: not stated. */
  cancellation: CancellationPolicy | null;
  asks: TourAsks;
}

/** A hold that a booking takes over. */
export interface HeldSeats extends ConsumableHold {
  tenantId: string;
  /** The actor of the booking that consumed the hold in this transaction. */
  endedBy?: Actor | null;
}

/** Returns the map key of a departure with its real seats, or with its seats of the sandbox. */
export function countedKey(departureId: string, sandbox: boolean): string {
  return `${departureId} ${sandbox ? 'sandbox' : 'real'}`;
}

/** Returns the map key of a tenant together with a departure, a tour, or the UUID of an OCTO booking. */
export function viewKey(tenantId: string, id: string): string {
  return `${tenantId} ${id}`;
}

/**
 * Returns the map key for the holds with a reference: the tenant, the tour, the reference and, if the booking names one, the start time.
 */
export function referenceKey(tenantId: string, tourId: string, externalRef: string, time?: string): string {
  return `${tenantId} ${tourId} ${time ?? ''} ${externalRef}`;
}

export function countFor(counts: Map<string, number>, key: string): number {
  return counts.get(key) ?? 0;
}

export function add(counts: Map<string, number>, key: string, more: number): void {
  counts.set(key, countFor(counts, key) + more);
}
