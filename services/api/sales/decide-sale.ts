import { InvalidInputError } from '../../platform/errors';
import { PriceChangedError } from '../bookings/booking.errors';
import { TourNotFoundError } from '../catalog/catalog.errors';
import type { Departure } from '../departures/departure';
import { assertFree } from '../departures/reserve-seats';
import { assertActive } from '../holds/change-hold';
import { HoldLimitReachedError, HoldNotFoundError, noLiveHold } from '../holds/hold.errors';
import { toMajor } from '../pricing/currency';
import { depositOf } from '../pricing/tenant-price';
import { type BookingSale, type HoldSale, type Sale, seatsOf, totalOf } from './sale';
import {
  add,
  assertVisible,
  assertWithinShare,
  countOf,
  existingDeparture,
  type HeldSeats,
  type LockedPrice,
  quoteAdult,
  type SaleFacts,
  sellerKey,
  takeSeats,
} from './sale-facts';

export interface GrantedHold {
  kind: 'hold';
  sale: HoldSale;
  departure: Departure;
  /** `converted` if a later booking of the transaction consumes it. */
  held: HeldSeats;
  /** Seats of the departure that are free after the hold. */
  seatsAvailable: number;
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

export type Granted = GrantedHold | GrantedBooking;

/**
 * Decides one request by the facts, alone or after others of its transaction.
 * @param id the id of the new hold
 * @throws the refusal, and leaves the facts as they are
 */
export function decideSale(facts: SaleFacts, sale: Sale, id: string): Granted {
  if (sale.principal) facts.assertKeyServes(sale.principal);
  return sale.kind === 'hold' ? decideHold(facts, sale, id) : decideBooking(facts, sale);
}

/**
 * @throws TourNotFoundError (404), DepartureGoneError, DepartureCancelledError, InsufficientSeatsError, HoldLimitReachedError (409)
 */
function decideHold(facts: SaleFacts, sale: HoldSale, id: string): GrantedHold {
  const { tenant, party, externalRef } = sale;
  const quantity = seatsOf(party);
  const departure = existingDeparture(facts, sale, sale.departureDate);
  assertVisible(facts, sale, departure);
  assertFree(departure, quantity);
  if (countOf(facts.liveHolds, tenant.id) >= tenant.maxHolds)
    throw new HoldLimitReachedError(
      `You have ${tenant.maxHolds} live holds, the most that you may have. Release some, or let them expire.`,
    );
  assertWithinShare(facts, tenant, departure, quantity);
  const price = quoteAdult(facts, tenant, departure.tour, departure.prices, departure.departureDate);

  takeSeats(facts, tenant, departure, quantity);
  add(facts.liveHolds, tenant.id, 1);
  const place = { id, tenantId: tenant.id, departureId: departure.id };
  const held: HeldSeats = { ...price, ...place, quantity, externalRef, status: 'active' };
  facts.holds.push(held);
  return { kind: 'hold', sale, departure, held, seatsAvailable: departure.seatsTotal - departure.seatsTaken };
}

/**
 * @throws TourNotFoundError, HoldNotFoundError (404), HoldExpiredError, HoldStateConflictError, DepartureGoneError,
 *   DepartureCancelledError, InsufficientSeatsError, HoldLimitReachedError, PriceChangedError (409)
 */
function decideBooking(facts: SaleFacts, sale: BookingSale): GrantedBooking {
  const { tenant, party } = sale;
  const { departure, held } = seatsToBook(facts, sale);
  if (countOf(facts.unpaidLeads, tenant.id) >= tenant.maxUnpaid)
    throw new HoldLimitReachedError(
      `The most unpaid bookings that you may have is ${tenant.maxUnpaid}. Confirm or cancel some, or let them expire.`,
    );
  const more = seatsOf(party) - (held ? held.quantity : 0);
  if (departure && more > 0) assertWithinShare(facts, tenant, departure, more);
  const price = held ?? quoteBooking(facts, sale, departure);
  const totalMinor = totalOf(party, { adult: price.unitPriceMinor });
  assertExpectedTotal(sale.expectedTotal, totalMinor, price);

  if (departure) takeSeats(facts, tenant, departure, more);
  if (held) consume(facts, sale, held);
  add(facts.unpaidLeads, tenant.id, 1);
  return {
    kind: 'booking',
    ...{ sale, departure, held, price, totalMinor },
    depositMinor: depositOf(totalMinor, tenant.depositPercent, sale.paymentMethod),
    priceBreakdown: {
      ...price.priceBreakdown,
      ...{ adults: party.adult, deposit_percent: Number(tenant.depositPercent) },
    },
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
    // It was on this departure before the lock.
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
  if (!sale.namesDate) throw noLiveHold();
  return null;
}

function consume(facts: SaleFacts, { tenant, by }: BookingSale, held: HeldSeats): void {
  held.status = 'converted';
  held.endedBy = by;
  add(facts.liveHolds, tenant.id, -1);
}

function quoteBooking(facts: SaleFacts, sale: BookingSale, departure: Departure | null): LockedPrice {
  const { tenant, tour } = sale;
  if (departure) return quoteAdult(facts, tenant, departure.tour, departure.prices, departure.departureDate);
  const undated = facts.undatedTours.get(sellerKey(tenant.id, tour.id));
  if (!undated) throw new TourNotFoundError();
  return quoteAdult(facts, tenant, undated, { adult: undated.basePriceMinor }, null);
}

/** Smaller than any difference of prices, larger than the rounding of floats: 3 * 19.99 is 59.97 here. */
const FLOAT_ERROR_MINOR = 0.001;

function assertExpectedTotal(
  expected: number | null,
  totalMinor: number,
  { currency, currencyDigits }: LockedPrice,
): void {
  if (expected === null) return;
  const differenceMinor = Math.abs(expected * 10 ** currencyDigits - totalMinor);
  if (differenceMinor > FLOAT_ERROR_MINOR)
    throw new PriceChangedError(toMajor(totalMinor, currencyDigits), currency);
}
