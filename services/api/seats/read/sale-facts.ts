import type { Departure, LockedDeparture, WantedSeats } from '../../departures/departure';
import type { CancellationPolicy, DatedTier } from '../../catalog/cancellation-policy';
import { TourNotFoundError } from '../../catalog/catalog.errors';
import { assertSellable } from '../../catalog/find-tour';
import type { ApiKeyPrincipal } from '../../credentials/credential';
import { assertNotSeveral } from '../../departures/choose-departure';
import { DepartureGoneError } from '../../departures/departure.errors';
import { wantedOf } from '../../departures/check-seats';
import type { OctoDetails } from '../../holds/octo-booking';
import type { HoldStatus } from '../../holds/seat-hold';
import type { PriceRule } from '../../pricing/choose-price-rule';
import type { ExchangeRates } from '../../pricing/convert-price';
import { seatsOf } from '../../pricing/party';
import type { LockedPrice, PricedTour, Prices } from '../../pricing/price-categories';
import { explainPrice, quoterFromRules } from '../../pricing/quote-tenant-price';
import type { Actor } from '../../tenants/actor';
import type { Tenant } from '../../tenants/tenant';
import type { Sale } from '../sale';

/** The facts about locked departures. A sale depends on them, and so does a change of a hold or booking. */
export interface DepartureFacts {
  /** The database's clock reading at which the seats were counted, with microseconds. */
  at: string;
  /** The map key is countedKey. */
  departures: Map<string, LockedDeparture>;
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
  /** @throws CredentialError when the key was revoked, has expired, or the tenant was suspended (401) */
  assertKeyServes(principal: ApiKeyPrincipal): void;
}

/** The tour of a booking without a date. */
export interface UndatedTour extends PricedTour {
  basePriceMinor: number;
  /** Null: not stated. */
  cancellation: CancellationPolicy | null;
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
  /** The locked tiers of the cancellation policy. Null: not stated. */
  tiers: DatedTier[] | null;
  /** Null: placed by REST. */
  octo: OctoDetails | null;
  status: HoldStatus;
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

/** The departure for which a sale, or the change of a hold or booking, asks. */
export interface RequestedDeparture extends Pick<
  Sale,
  'tenant' | 'tour' | 'party' | 'departureId' | 'times'
> {
  departureDate: string;
  /** HH:MM. Undefined: not named. */
  departureTime?: string;
}

/**
 * Returns the locked departure, with its seats of the sandbox for a sandbox tenant, otherwise with its real seats.
 * @throws InvalidInputError if the request must choose among several departures (400), DepartureGoneError if there is no such
 *   departure (409)
 */
export function existingDeparture(
  { departures }: DepartureFacts,
  asked: RequestedDeparture,
): LockedDeparture {
  const { tenant, departureId, departureTime } = asked;
  assertNotSeveral(asked, 'body');
  const departure =
    departureId === null ? undefined : departures.get(countedKey(departureId, tenant.sandbox));
  // The departure's time may have changed during the wait for the lock.
  const leavesThen = departureTime === undefined || departure?.startTime === departureTime;
  if (departure && leavesThen) return departure;
  throw new DepartureGoneError(wantedOfMissing(asked));
}

/** Describes a request for a departure that does not exist. The refusal contains this description. */
function wantedOfMissing({
  tenant,
  tour,
  party,
  departureDate,
  departureTime,
}: RequestedDeparture): WantedSeats {
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
 * Checks that the tenant's visibility rules still show the tour: they may have changed during the wait for the lock. Does not check the rate
 * of the tour, because a hold stays bookable without it.
 * @throws TourNotFoundError (404)
 */
export function assertVisible({ visible }: DepartureFacts, { id }: Tenant, departure: Departure): void {
  if (!visible.has(viewKey(id, departure.id))) throw new TourNotFoundError();
}

/**
 * Quotes the prices of a departure, which a sale locks.
 * @param seats the wanted seats: the refusal names other departures with as many free seats
 * @throws DepartureGoneError if the tenant does not sell the departure at its price: Quoter has the reasons (409)
 */
export function quoteDeparture(
  facts: DepartureFacts,
  tenant: Tenant,
  departure: Departure,
  seats: number,
): LockedPrice {
  const { tour, prices, departureDate } = departure;
  const price = quotePrices(facts, tenant, tour, prices, departureDate);
  if (!price) throw new DepartureGoneError(wantedOf(departure, seats));
  return price;
}

/** Quotes the price that a booking without a date locks. @throws TourNotFoundError as quoteDeparture (404) */
export function quoteUndated(facts: DepartureFacts, tenant: Tenant, tour: UndatedTour): LockedPrice {
  return assertSellable(quotePrices(facts, tenant, tour, { adult: tour.basePriceMinor }, null));
}

function quotePrices(
  { priceRules, rates }: DepartureFacts,
  tenant: Tenant,
  tour: PricedTour,
  platform: Prices,
  travelDate: string | null,
): LockedPrice | undefined {
  const quoter = quoterFromRules(tenant, priceRules.get(tenant.id) ?? [], rates);
  const quote = quoter(tour, platform, travelDate);
  if (!quote) return undefined;
  const { tenant: prices, currency, currencyDigits } = quote;
  return { prices, currency, currencyDigits, priceBreakdown: explainPrice(quote) };
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
