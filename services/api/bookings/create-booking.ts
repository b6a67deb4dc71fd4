import type { Db } from '../../platform/database';
import { InvalidInputError } from '../../platform/errors';
import { TourNotFoundError } from '../catalog/catalog.errors';
import type { TourRef } from '../catalog/tour';
import type { Departure } from '../departures/departure';
import { SaleMovedError } from '../departures/departure.errors';
import { assertFree } from '../departures/reserve-seats';
import { assertActive } from '../holds/change-hold';
import { findOnlyLiveDate, getHold } from '../holds/find-hold';
import { HoldNotFoundError } from '../holds/hold.errors';
import type { PartialCustomer } from '../holds/seat-hold';
import { toMajor } from '../pricing/currency';
import { depositOf } from '../pricing/apply-price-rule';
import { assertPriced, type Party, seatsOf, totalOf } from '../pricing/party';
import type { BookingSale } from '../sales/sale';
import {
  add,
  assertVisible,
  existingDeparture,
  type HeldSeats,
  type LockedPrice,
  quotePrices,
  type SaleFacts,
  sellerKey,
  takeSeats,
} from '../sales/sale-facts';
import { assertMoreUnpaid, assertWithinShare } from '../sales/tenant-limits';
import type { Actor } from '../tenants/actor';
import type { PaymentMethod, Tenant } from '../tenants/tenant';
import { PriceChangedError } from './booking.errors';
import type { BookingSource, Traveller } from './booking-lead';

export interface BookingRequest {
  /** Null: the date of the hold; without a hold, no seats are reserved. */
  departureDate: string | null;
  party: Party;
  /** Null: not named. */
  travellers: Traveller[] | null;
  customer: PartialCustomer;
  /** Null: the tenant's default. */
  paymentMethod: PaymentMethod | null;
  /** In lower case. */
  holdId: string | null;
  /** The total that the customer saw, in major units. */
  expectedTotal: number | null;
  externalRef: string | null;
  notes: string | null;
  /** By default tenant_api. */
  source?: BookingSource;
  /** Null: unknown. */
  by: Actor | null;
}

/**
 * Sells a booking. If its hold moves to another date during the wait for the lock, reads the date again and repeats the sale once.
 * @param sell grants and writes the sale
 * @throws errors of prepareBooking and of `sell`
 */
export async function sellBooking<T>(
  db: Db,
  tenant: Tenant,
  tour: TourRef,
  request: BookingRequest,
  sell: (sale: BookingSale) => Promise<T>,
): Promise<T> {
  const attempt = async () => sell(await prepareBooking(db, tenant, tour, request));
  return attempt().catch((error: unknown) => {
    if (error instanceof SaleMovedError) return attempt();
    throw error;
  });
}

/**
 * Makes the checks that come before the Idempotency-Key. Locks nothing. A named hold must match the tour and the date of the request.
 * @throws HoldNotFoundError (404), InvalidInputError (400)
 */
export async function prepareBooking(
  db: Db,
  tenant: Tenant,
  { id, slug }: TourRef,
  request: BookingRequest,
): Promise<BookingSale> {
  const {
    party,
    travellers,
    customer,
    expectedTotal,
    externalRef,
    notes,
    source = 'tenant_api',
    by,
  } = request;
  return {
    kind: 'booking',
    tenant,
    party,
    travellers,
    customer,
    expectedTotal,
    externalRef,
    notes,
    source,
    by,
    tour: { id, slug },
    principal: null,
    claim: null,
    departureDate: await dateOfRequest(db, tenant, id, request),
    namesDate: request.departureDate !== null,
    holdId: request.holdId,
    paymentMethod: request.paymentMethod ?? tenant.paymentMethod,
  };
}

/**
 * Returns the date of the request, of its hold, or of the only live hold with its reference. The reference is read again under the
 * lock, because a repeat finds that hold consumed.
 */
async function dateOfRequest(
  db: Db,
  tenant: Tenant,
  tourId: string,
  { holdId, departureDate, externalRef }: BookingRequest,
): Promise<string | null> {
  if (holdId === null)
    return departureDate ?? (externalRef ? findOnlyLiveDate(db, tenant.id, tourId, externalRef) : null);
  const hold = await getHold(db, tenant.id, holdId);
  if (hold.tour.id !== tourId) throw new InvalidInputError('body', 'tour_id', 'must be the tour of the hold');
  if (departureDate !== null && departureDate !== hold.departureDate)
    throw new InvalidInputError('body', 'departure_date', "must be the hold's date, or left out");
  return hold.departureDate;
}

export interface GrantedBooking {
  kind: 'booking';
  sale: BookingSale;
  departure: Departure | null;
  /** The consumed hold. */
  held: HeldSeats | null;
  price: LockedPrice;
  totalMinor: number;
  depositMinor: number;
  priceBreakdown: Record<string, unknown>;
  externalRef: string | null;
}

/**
 * Decides one request by the facts, alone or after others of its transaction: consumes the hold, reserves the seats, checks the tenant's
 * limits, and quotes its price.
 * @throws InvalidInputError for a category without a price (400), TourNotFoundError, HoldNotFoundError (404), HoldExpiredError, HoldStateConflictError, DepartureGoneError,
 *   DepartureCancelledError, InsufficientSeatsError, HoldLimitReachedError, PriceChangedError (409). The facts are then as before.
 */
export function decideBooking(facts: SaleFacts, sale: BookingSale): GrantedBooking {
  const { tenant, party } = sale;
  const { departure, held } = seatsToBook(facts, sale);
  assertMoreUnpaid(facts, tenant);
  const more = seatsOf(party) - (held ? held.quantity : 0);
  if (departure && more > 0) assertWithinShare(facts, tenant, departure, more);
  const price = held ?? quoteBooking(facts, sale, departure);
  assertPriced(party, price.prices);
  const totalMinor = totalOf(party, price.prices);
  assertExpectedTotal(sale.expectedTotal, totalMinor, price);

  if (departure) takeSeats(facts, tenant, departure, more);
  if (held) consume(facts, sale, held);
  add(facts.unpaidLeads, tenant.id, 1);
  return {
    kind: 'booking',
    sale,
    departure,
    held,
    price,
    totalMinor,
    depositMinor: depositOf(totalMinor, tenant.depositPercent, sale.paymentMethod),
    priceBreakdown: { ...price.priceBreakdown, deposit_percent: Number(tenant.depositPercent) },
    externalRef: sale.externalRef ?? (held ? held.externalRef : null),
  };
}

/** Finds the departure and the hold of a booking, and checks that the seats that the hold does not keep are free. */
function seatsToBook(
  facts: SaleFacts,
  sale: BookingSale,
): { departure: Departure | null; held: HeldSeats | null } {
  if (sale.departureDate === null) return { departure: null, held: null };
  const departure = existingDeparture(facts, sale, sale.departureDate);
  const held = holdToConsume(facts, sale, departure);
  assertVisible(facts, sale, departure);
  const seatsTaken = departure.seatsTaken - (held ? held.quantity : 0);
  assertFree({ ...departure, seatsTaken }, seatsOf(sale.party));
  return { departure, held };
}

/** Returns the named hold, or the tenant's only live hold on the departure with the booking's reference. */
function holdToConsume(facts: SaleFacts, sale: BookingSale, departure: Departure): HeldSeats | null {
  const { holdId, externalRef, tenant } = sale;
  const own = facts.holds.filter((hold) => hold.tenantId === tenant.id);
  if (holdId !== null) {
    const named = own.find(({ id }) => id === holdId);
    if (!named) throw new HoldNotFoundError();
    if (named.departureId !== departure.id && !sale.namesDate) throw new SaleMovedError();
    if (named.departureId !== departure.id)
      throw new InvalidInputError('body', 'departure_date', "must be the hold's date, or left out");
    assertActive(named);
    return named;
  }
  const live = own.filter(
    (hold) =>
      externalRef && // An empty reference names no hold.
      hold.externalRef === externalRef &&
      hold.departureId === departure.id &&
      hold.status === 'active',
  );
  if (live.length === 1) return live[0]!;
  // The hold moved or ended during the wait for the lock. The date is read again.
  if (!sale.namesDate) throw new SaleMovedError();
  return null;
}

function consume(facts: SaleFacts, { tenant, by }: BookingSale, held: HeldSeats): void {
  held.status = 'converted';
  held.endedBy = by;
  add(facts.liveHolds, tenant.id, -1);
}

function quoteBooking(facts: SaleFacts, sale: BookingSale, departure: Departure | null): LockedPrice {
  const { tenant, tour } = sale;
  if (departure) return quotePrices(facts, tenant, departure.tour, departure.prices, departure.departureDate);
  const undated = facts.undatedTours.get(sellerKey(tenant.id, tour.id));
  if (!undated) throw new TourNotFoundError();
  return quotePrices(facts, tenant, undated, { adult: undated.basePriceMinor }, null);
}

/** Smaller than any difference of prices, larger than the rounding of floats: 3 * 19.99 is 59.97 here. */
const FLOAT_ERROR_MINOR = 0.001;

/** @throws PriceChangedError (409) */
export function assertExpectedTotal(
  expected: number | null,
  totalMinor: number,
  { currency, currencyDigits }: Pick<LockedPrice, 'currency' | 'currencyDigits'>,
): void {
  if (expected === null) return;
  const differenceMinor = Math.abs(expected * 10 ** currencyDigits - totalMinor);
  if (differenceMinor > FLOAT_ERROR_MINOR)
    throw new PriceChangedError(toMajor(totalMinor, currencyDigits), currency);
}
