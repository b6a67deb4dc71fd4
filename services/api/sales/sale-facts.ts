import type { Departure, WantedSeats } from '../departures/departure';
import { TourNotFoundError } from '../catalog/catalog.errors';
import type { ApiKeyPrincipal } from '../credentials/credential';
import { assertNotSeveral } from '../departures/choose-departure';
import { DepartureGoneError } from '../departures/departure.errors';
import type { HoldStatus } from '../holds/seat-hold';
import type { PriceRule } from '../pricing/choose-price-rule';
import { seatsOf } from '../pricing/party';
import type { LockedPrice, PricedTour, Prices } from '../pricing/price-categories';
import { explainPrice, quoterFromRules } from '../pricing/quote-tenant-price';
import type { Actor } from '../tenants/actor';
import type { Tenant } from '../tenants/tenant';
import type { Sale } from './sale';

/** The facts about locked departures that a sale, or the change of one, depends on. */
export interface DepartureFacts {
  /** By countedKey. */
  departures: Map<string, Departure>;
  /** By viewKey: the tenants that see the departure's tour. */
  visible: Set<string>;
  /** By viewKey: seats of live holds and unpaid bookings, of tenants whose share is limited. */
  unpaidSeats: Map<string, number>;
  /** By tenant id. */
  priceRules: Map<string, PriceRule[]>;
}

/**
 * The facts that the sales of one transaction depend on, read under the locks of their departures. A decision changes them, so
 * that the next one counts what was granted before it.
 */
export interface SaleFacts extends DepartureFacts {
  /** By tenant id. */
  liveHolds: Map<string, number>;
  /** By tenant id. */
  unpaidLeads: Map<string, number>;
  /** By viewKey: the UUIDs of the tenant's OCTO bookings that the holds ask for. */
  takenUuids: Set<string>;
  /** Holds that the bookings name, by id or by reference, and the holds that were granted in this transaction. */
  holds: HeldSeats[];
  /**
   * By referenceKey: how many live holds have the reference of a booking without a date, at the time that it names. A missing entry: no hold
   * has it, live or ended.
   */
  references: Map<string, { live: number }>;
  /** By viewKey with the tour's id: the tours of bookings without a date, with the base price, if the tenant sees them. */
  undatedTours: Map<string, PricedTour & { basePriceMinor: number }>;
  /** @throws CredentialError when the key was revoked, has expired, or the tenant was suspended (401) */
  assertKeyServes(principal: ApiKeyPrincipal): void;
}

/** The fields of a hold that a booking takes over. */
export interface HeldSeats extends LockedPrice {
  id: string;
  tenantId: string;
  departureId: string;
  quantity: number;
  /** Number of the seats that children take; included in `quantity`. */
  children: number;
  externalRef: string | null;
  status: HoldStatus;
  /** The actor of the booking that consumed it in this transaction. */
  endedBy?: Actor | null;
}

/** Returns the map key of a departure and a kind of seats. */
export function countedKey(departureId: string, sandbox: boolean): string {
  return `${departureId} ${sandbox ? 'sandbox' : 'real'}`;
}

/** Returns the map key of a tenant and a departure, a tour or an OCTO booking. */
export function viewKey(tenantId: string, id: string): string {
  return `${tenantId} ${id}`;
}

/** Returns the map key of a tenant's reference, a tour, and the start time that the booking names. */
export function referenceKey(tenantId: string, tourId: string, externalRef: string, time?: string): string {
  return `${tenantId} ${tourId} ${time ?? ''} ${externalRef}`;
}

/** The departure that a sale, or the change of one, asks for. */
export interface AskedDeparture extends Pick<Sale, 'tenant' | 'tour' | 'party' | 'departureId' | 'times'> {
  departureDate: string;
  /** HH:MM. Undefined: not named. */
  departureTime?: string;
}

/**
 * Returns the locked departure with the seats of the wanted kind.
 * @throws InvalidInputError if the request must choose among several (400), DepartureGoneError (409)
 */
export function existingDeparture({ departures }: DepartureFacts, asked: AskedDeparture): Departure {
  const { tenant, departureId, departureTime } = asked;
  assertNotSeveral(asked, 'body');
  const departure =
    departureId === null ? undefined : departures.get(countedKey(departureId, tenant.sandbox));
  // Its time may have changed during the wait for the lock.
  const leavesThen = departureTime === undefined || departure?.startTime === departureTime;
  if (departure && leavesThen) return departure;
  throw new DepartureGoneError(wantedOf(asked));
}

/** Returns the seats that a sale wants where there is no such departure, for its refusal. */
function wantedOf({ tenant, tour, party, departureDate, departureTime }: AskedDeparture): WantedSeats {
  return {
    tourId: tour.id,
    departureId: null,
    departureDate,
    departureTime: departureTime ?? null,
    quantity: seatsOf(party),
    sandbox: tenant.sandbox,
  };
}

/**
 * Checks that the tenant still sees the tour: it may have become invisible during the wait for the lock.
 * @throws TourNotFoundError (404)
 */
export function assertVisible({ visible }: DepartureFacts, { id }: Tenant, departure: Departure): void {
  if (!visible.has(viewKey(id, departure.id))) throw new TourNotFoundError();
}

export function quotePrices(
  { priceRules }: DepartureFacts,
  tenant: Tenant,
  tour: PricedTour,
  platform: Prices,
  travelDate: string | null,
): LockedPrice {
  const quote = quoterFromRules(tenant, priceRules.get(tenant.id) ?? [])(tour, platform, travelDate);
  const { currency, currencyDigits } = tour;
  const priceBreakdown = explainPrice(quote, currencyDigits);
  return { prices: quote.tenant, currency, currencyDigits, priceBreakdown };
}

export function takeSeats(facts: SaleFacts, tenant: Tenant, departure: Departure, seats: number): void {
  departure.seatsTaken += seats;
  add(facts.unpaidSeats, viewKey(tenant.id, departure.id), seats);
}

export function countFor(counts: Map<string, number>, key: string): number {
  return counts.get(key) ?? 0;
}

export function add(counts: Map<string, number>, key: string, more: number): void {
  counts.set(key, countFor(counts, key) + more);
}
