import { InvalidInputError } from '../../../platform/errors';
import type { WebhookEvent } from '../../../webhook-queue/enqueue-delivery';
import { PriceChangedError } from '../../bookings/booking.errors';
import { type BookingLead, referencePrefix } from '../../bookings/booking-lead';
import { columnsOfLead } from '../../bookings/booking-lead.repository';
import { eventOfLead } from '../../bookings/change-booking';
import { paymentDueAt, paymentWindowEnd } from '../../bookings/payment-window';
import { TourNotFoundError } from '../../catalog/catalog.errors';
import { policyOf } from '../../catalog/cancellation-policy';
import type { LockedDeparture } from '../../departures/departure';
import { assertFree, SaleChangedError } from '../../departures/check-seats';
import { departureTimeWithoutDate } from '../../catalog/start-time';
import { assertActive } from '../../holds/change-hold';
import { AmbiguousHoldReferenceError, HoldNotFoundError, noLiveHold } from '../../holds/hold.errors';
import { octoHoldEvent } from '../../holds/octo-booking';
import type { StoredColumns } from '../../holds/seat-hold';
import { depositOf } from '../../pricing/apply-price-rule';
import { isSameAmount, toMajor } from '../../pricing/currency';
import type { Category } from '../../pricing/category';
import { categoriesToCheck, renewedCategories } from '../../pricing/kept-categories';
import { seatsOf, totalOf } from '../../pricing/party';
import type { LockedPrice } from '../../pricing/price-categories';
import { assertMeantParty, wantedSeats } from '../../pricing/requested-party';
import { type Decided, dateOfDeparture } from '../decided';
import type { BookingSale } from '../sale';
import { assertVisible, existingDeparture, quoteDeparture, quoteUndated, takeSeats } from './departure-rules';
import {
  add,
  countedKey,
  type HeldSeats,
  referenceKey,
  type SaleFacts,
  type UndatedTour,
  viewKey,
} from '../read/sale-facts';
import { assertMoreUnpaid, assertWithinShare } from './tenant-limits';

/**
 * Decides one booking by the facts, which count the sales that were granted before it in the transaction. Consumes the hold, reserves the
 * seats, checks the tenant's limits, and quotes the tenant's price.
 * @throws InvalidInputError for a party that the tour does not sell, or a time that is missing or not the hold's (400), TourNotFoundError,
 *   HoldNotFoundError (404), HoldExpiredError, HoldStateConflictError, AmbiguousHoldReferenceError, SaleChangedError, DepartureGoneError,
 *   DepartureCancelledError, InsufficientSeatsError, HoldLimitReachedError, PriceChangedError (409). After an error, the facts are
 *   unchanged.
 */
export function decideBooking(facts: SaleFacts, sale: BookingSale): Decided<BookingLead> {
  const { tenant, party, isConfirmed } = sale;
  const booked = seatsToBook(facts, sale);
  const { departure, held, price } = booked;
  const more = wantedSeats(sale, price.categories) - (held ? held.seats : 0);
  if (!isConfirmed) {
    assertMoreUnpaid(facts, tenant);
    if (departure && more > 0) assertWithinShare(facts, tenant, departure, more);
  }
  assertMeantParty(sale, booked.toCheck, price.prices);
  const totalMinor = totalOf(party, price.prices);
  assertExpectedTotal(sale.expectedTotal, totalMinor, price);

  if (departure) takeSeats(facts, tenant, departure, more);
  if (held) consume(facts, sale, held);
  if (!isConfirmed) add(facts.unpaidLeads, tenant.id, 1);
  const windowEndsAt = paymentWindowEnd(facts.at, tenant);
  const payment = { windowEndsAt, dueAt: paymentDueAt(windowEndsAt, departure) };
  const lead = toBookingLead(facts, sale, booked, { totalMinor, payment });
  return {
    result: lead,
    newLead: { id: lead.id, columns: columnsOfNew(lead, facts.at, payment), held },
    events: eventsOfNew(lead),
    changed: departure ? [dateOfDeparture(departure)] : [],
  };
}

/** The end of the payment window, and the time until which the booking stands unpaid. Null: none. */
interface PaymentTimes {
  windowEndsAt: string | null;
  dueAt: string | null;
}

function columnsOfNew(lead: BookingLead, at: string, { windowEndsAt, dueAt }: PaymentTimes): StoredColumns {
  return {
    ...columnsOfLead(lead),
    created_at: at,
    payment_window_ends_at: windowEndsAt,
    payment_due_at: dueAt,
    confirmed_at: lead.status === 'confirmed' ? at : null,
  };
}

/** Returns the events of a new booking. One that OCTO has reserved also notifies the reseller: its details are found by the hold. */
function eventsOfNew(lead: BookingLead): WebhookEvent[] {
  const { holdId, tenant, bookingRef } = lead;
  const events = [eventOfLead('booking.created', lead)];
  if (lead.status === 'confirmed') events.push(eventOfLead('booking.confirmed', lead));
  if (lead.octo) events.push(octoHoldEvent({ id: holdId!, tenantId: tenant.id, bookingRef }));
  return events;
}

/** The cancellation policy that a booking locks. */
type LockedPolicy = Pick<BookingLead, 'cancellation' | 'tiers'>;

/** The seats, the price and the policy of a booking. */
interface BookedSeats {
  /** Null: a booking without a date. */
  departure: LockedDeparture | null;
  /** The consumed hold. */
  held: HeldSeats | null;
  price: LockedPrice;
  /** The categories by which the party is checked. */
  toCheck: readonly Category[];
  policy: LockedPolicy;
}

/**
 * Finds the departure, the hold and the price of a booking, and checks that the departure has enough free seats, including the seats of the
 * hold. A booking with a hold has the locked price: its rate may be missing now.
 */
function seatsToBook(facts: SaleFacts, sale: BookingSale): BookedSeats {
  const { departureDate } = sale;
  if (departureDate === null) {
    assertNoHoldByReference(facts, sale);
    if (sale.departureTime !== undefined) throw departureTimeWithoutDate('body');
    const tour = undatedTour(facts, sale);
    const price = quoteUndated(facts, sale.tenant, tour);
    const policy = { cancellation: tour.cancellation, tiers: null };
    return { departure: null, held: null, price, toCheck: tour.categories, policy };
  }
  const departure = departureToBook(facts, { ...sale, departureDate });
  const held = holdToConsume(facts, sale, departure);
  assertVisible(facts, sale.tenant, departure);
  const { categories: present } = departure.tour;
  const sold = held ? renewedCategories(held, present) : present;
  const seats = wantedSeats(sale, sold);
  const price = held ? { ...held, categories: sold } : quoteDeparture(facts, sale.tenant, departure, seats);
  const toCheck = held ? categoriesToCheck(sale.party, held, { sold, present }) : present;
  const { tiers } = held ?? departure;
  const seatsTaken = departure.seatsTaken - (held ? held.seats : 0);
  assertFree({ ...departure, seatsTaken }, seats);
  return { departure, held, price, toCheck, policy: { cancellation: policyOf(tiers), tiers } };
}

/**
 * Returns the departure of the booking. If the request names both a hold and a time, the time must be the start time of the hold's
 * departure.
 */
function departureToBook(facts: SaleFacts, sale: BookingSale & { departureDate: string }): LockedDeparture {
  const { holdId, departureTime } = sale;
  if (holdId === null) return existingDeparture(facts, sale);
  const departure = existingDeparture(facts, { ...sale, departureTime: undefined });
  if (departureTime === undefined || departureTime === departure.startTime) return departure;
  throw new InvalidInputError('body', 'departure_time', "must be the hold's time, or left out");
}

/**
 * Refuses a booking without a date if a hold of the tenant for this tour has the same reference. Such a booking is meant to consume the
 * hold.
 * @throws SaleChangedError for one live hold, placed after the sale was prepared: the sale is repeated with the departure of that hold;
 * AmbiguousHoldReferenceError for several live holds, HoldExpiredError if all holds with the reference have ended (409)
 */
function assertNoHoldByReference(facts: SaleFacts, sale: BookingSale): void {
  const { tenant, tour, externalRef, departureTime } = sale;
  if (!externalRef) return;
  const known = facts.references.get(referenceKey(tenant.id, tour.id, externalRef, departureTime));
  const granted = facts.holds.some((hold) => {
    const departure = facts.departures.get(countedKey(hold.departureId, tenant.sandbox));
    return (
      hold.tenantId === tenant.id &&
      hold.externalRef === externalRef &&
      hold.status === 'active' &&
      departure?.tour.id === tour.id &&
      (departureTime === undefined || departure.startTime === departureTime)
    );
  });
  if (known && known.live > 1) throw new AmbiguousHoldReferenceError();
  if (granted || known?.live === 1) throw new SaleChangedError('hold');
  if (known) throw noLiveHold();
}

/** Returns the named hold, or the tenant's only live hold on the departure with the booking's reference. Null: the booking has no hold. */
function holdToConsume(facts: SaleFacts, sale: BookingSale, departure: LockedDeparture): HeldSeats | null {
  const { holdId, externalRef, tenant } = sale;
  const own = facts.holds.filter((hold) => hold.tenantId === tenant.id);
  if (holdId !== null) {
    const named = own.find(({ id }) => id === holdId);
    if (!named) throw new HoldNotFoundError();
    // The hold moved to another departure while the sale waited for the lock. The sale is repeated. The repeat compares the new date of the
    // hold with the date of the request.
    if (named.departureId !== departure.id) throw new SaleChangedError('hold');
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
  // The hold moved or ended while the sale waited for the lock. The sale is repeated, and finds the departure again.
  if (sale.needsHold) throw new SaleChangedError('hold');
  return null;
}

function consume(facts: SaleFacts, { tenant, by }: BookingSale, held: HeldSeats): void {
  held.status = 'converted';
  held.endedBy = by;
  add(facts.liveHolds, tenant.id, -1);
}

/** @throws TourNotFoundError if the tenant does not see the tour (404) */
function undatedTour(facts: SaleFacts, { tenant, tour }: BookingSale): UndatedTour {
  const undated = facts.undatedTours.get(viewKey(tenant.id, tour.id));
  if (!undated) throw new TourNotFoundError();
  return undated;
}

/** Returns the lead of a granted booking, with the next free number. */
function toBookingLead(
  facts: SaleFacts,
  sale: BookingSale,
  { departure, held, price, policy }: BookedSeats,
  { totalMinor, payment }: { totalMinor: number; payment: PaymentTimes },
): BookingLead {
  const { tenant, tour, party, travellers, paymentMethod, customer, notes, source, by, isConfirmed } = sale;
  const id = facts.newLeadIds.shift()!;
  const createdAt = new Date(facts.at);
  return {
    id,
    bookingRef: `${referencePrefix(tenant)}-${id}`,
    tour,
    tenant: { id: tenant.id, slug: tenant.slug },
    sandbox: tenant.sandbox,
    ...placeOnDeparture(departure),
    holdId: held?.id ?? null,
    party,
    seats: seatsOf(party, price.categories),
    categories: price.categories,
    travellers,
    status: isConfirmed ? 'confirmed' : 'pending_payment',
    prices: price.prices,
    totalMinor,
    depositMinor: depositOf(totalMinor, tenant.depositPercent, paymentMethod),
    currency: price.currency,
    currencyDigits: price.currencyDigits,
    priceBreakdown: { ...price.priceBreakdown, deposit_percent: Number(tenant.depositPercent) },
    ...policy,
    refundCeiling: 100,
    refundFloor: null,
    floorEndsAt: null,
    refund: null,
    paymentMethod,
    paymentNote: tenant.paymentNote,
    externalRef: sale.externalRef ?? held?.externalRef ?? null,
    source,
    customer,
    octo: held?.octo ?? null,
    notes,
    createdAt,
    updatedAt: createdAt,
    paymentWindowEndsAt: toDate(payment.windowEndsAt),
    paymentDueAt: toDate(payment.dueAt),
    createdBy: by,
    confirmedAt: isConfirmed ? createdAt : null,
    confirmedBy: isConfirmed ? by : null,
    cancelledAt: null,
    cancelledBy: null,
    expiredAt: null,
    cancelReason: null,
    anonymizedAt: null,
    asOf: createdAt,
  };
}

function toDate(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}

function placeOnDeparture(departure: LockedDeparture | null) {
  return {
    departureId: departure?.id ?? null,
    departureDate: departure?.departureDate ?? null,
    departureTime: departure?.startTime ?? null,
    departureStatus: departure && ('scheduled' as const),
  };
}

/** @throws PriceChangedError (409) */
export function assertExpectedTotal(
  expected: number | null,
  totalMinor: number,
  { currency, currencyDigits }: Pick<LockedPrice, 'currency' | 'currencyDigits'>,
): void {
  if (expected === null || isSameAmount(expected, totalMinor, currencyDigits)) return;
  throw new PriceChangedError(toMajor(totalMinor, currencyDigits), currency);
}
