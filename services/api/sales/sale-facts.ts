import { type Departure, departureKey, type DepartureKey } from '../departures/departure';
import { TourNotFoundError } from '../catalog/catalog.errors';
import type { ApiKeyPrincipal } from '../credentials/credential';
import { DepartureGoneError } from '../departures/departure.errors';
import type { HoldStatus } from '../holds/seat-hold';
import type { PriceRule } from '../pricing/choose-price-rule';
import { seatsOf } from '../pricing/party';
import type { PricedTour, Prices } from '../pricing/prices';
import { explainPrice, quoterFromRules } from '../pricing/quote-tenant-price';
import type { Actor } from '../tenants/actor';
import type { Tenant } from '../tenants/tenant';
import type { Sale } from './sale';

/** The facts about locked departures that a sale, or the change of one, depends on. */
export interface DepartureFacts {
  /** By countedKey. */
  departures: Map<string, Departure>;
  /** By sellerKey: the tenants that see the departure's tour. */
  visible: Set<string>;
  /** By sellerKey: seats of live holds and unpaid bookings, of tenants whose share is limited. */
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
  /** Holds that the bookings name, by id or by reference, and the holds that were granted in this transaction. */
  holds: HeldSeats[];
  /** By sellerKey with the tour's id: the tours of bookings without a date, with the base price, if the tenant sees them. */
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

/** The tenant's prices by category, in minor units. A hold has locked them; else they are quoted now. */
export interface LockedPrice {
  prices: Prices;
  currency: string;
  currencyDigits: number;
  priceBreakdown: Record<string, unknown>;
}

/** Names a departure with its seats of a kind in maps. */
export function countedKey(departure: DepartureKey & { sandbox: boolean }): string {
  return `${departureKey(departure)} ${departure.sandbox ? 'sandbox' : 'real'}`;
}

/** Names a tenant's view of a departure or tour in maps. */
export function sellerKey(tenantId: string, id: string): string {
  return `${tenantId} ${id}`;
}

export function existingDeparture(
  { departures }: DepartureFacts,
  { tenant: { sandbox }, tour, party }: Pick<Sale, 'tenant' | 'tour' | 'party'>,
  departureDate: string,
): Departure {
  const wanted = { tourId: tour.id, departureDate, sandbox };
  const departure = departures.get(countedKey(wanted));
  if (departure) return departure;
  throw new DepartureGoneError({ ...wanted, quantity: seatsOf(party) });
}

/** The tour may have become invisible during the wait for the lock. */
export function assertVisible(
  { visible }: DepartureFacts,
  { tenant }: Pick<Sale, 'tenant'>,
  departure: Departure,
): void {
  if (!visible.has(sellerKey(tenant.id, departure.id))) throw new TourNotFoundError();
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
  add(facts.unpaidSeats, sellerKey(tenant.id, departure.id), seats);
}

export function countFor(counts: Map<string, number>, key: string): number {
  return counts.get(key) ?? 0;
}

export function add(counts: Map<string, number>, key: string, more: number): void {
  counts.set(key, countFor(counts, key) + more);
}
