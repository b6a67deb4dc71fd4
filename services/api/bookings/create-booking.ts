import type { Trx } from '../../platform/database';
import { InvalidInputError } from '../../platform/errors';
import { getVisibleTour } from '../catalog/find-tour';
import type { Tour } from '../catalog/tour';
import type { Departure } from '../departures/departure';
import { lockDeparture, reserveSeatsFor } from '../departures/reserve-seats';
import { consumeHold, findDateByReference } from '../holds/consume-hold';
import { getHold } from '../holds/find-hold';
import type { SeatHold } from '../holds/seat-hold';
import { assertUnpaidAllowed, type BookedSeats } from '../holds/tenant-limits';
import { type ReplayedResponse, type RunIdempotent, withoutKey } from '../idempotency/run-idempotent';
import { toMajor } from '../pricing/currency';
import { explainPrice, quoteTenantPrice } from '../pricing/quote-tenant-price';
import { depositOf } from '../pricing/tenant-price';
import type { Actor } from '../tenants/actor';
import type { PaymentMethod, Tenant } from '../tenants/tenant';
import { PriceChangedError } from './booking.errors';
import { enqueueBookingEvent } from './booking-event';
import type { BookingLead, Customer } from './booking-lead';
import { insertLead, type NewLead } from './booking-lead.repository';
import { getBooking } from './find-booking';

export interface BookingRequest {
  /** UUID or slug. */
  tour: string;
  /** Null: the date of the hold; without a hold, no seats are reserved. */
  departureDate: string | null;
  adults: number;
  customer: Customer;
  /** Null: the tenant's default. */
  paymentMethod: PaymentMethod | null;
  holdId: string | null;
  /** The total that the customer saw, in major units. */
  expectedTotal: number | null;
  externalRef: string | null;
  notes: string | null;
  /** Null: unknown. */
  by: Actor | null;
}

/**
 * Creates a booking lead with status pending payment, in the caller's transaction: finds the visible tour, reserves the
 * seats, checks the tenant's limits, quotes the tenant's price, inserts the lead, and enqueues booking.created.
 * @throws TourNotFoundError, HoldNotFoundError (404), InvalidInputError (400), and the errors of lockDeparture, consumeHold,
 *   reserveSeatsFor, assertUnpaidAllowed and assertExpectedTotal (409)
 */
export async function createBooking(
  trx: Trx,
  tenant: Tenant,
  request: BookingRequest,
  runIdempotent: RunIdempotent<BookingLead> = withoutKey,
): Promise<BookingLead | ReplayedResponse> {
  const tour = await getVisibleTour(trx, tenant, request.tour);
  const requestedDate = await dateOfRequest(trx, tenant, tour, request);

  return runIdempotent({ tour: tour.id, hold: request.holdId?.toLowerCase() ?? null }, async () => {
    const date = requestedDate ?? (await findDateByReference(trx, tenant.id, tour.id, request.externalRef));
    const seats = date === null ? undefined : await takeSeats(trx, tenant, tour, date, request);
    await assertUnpaidAllowed(trx, tenant, seats);
    const price = seats?.hold ?? (await quoteAdult(trx, tenant, tour.id, seats?.departure));
    const lead = newLead(tenant, tour, request, price, seats);
    assertExpectedTotal(request.expectedTotal, lead);

    const bookingRef = await insertLead(trx, lead);
    const booking = await getBooking(trx, tenant.id, bookingRef);
    await enqueueBookingEvent(trx, 'booking.created', booking);
    return booking;
  });
}

/** Returns the date of the named hold, or else of the request. A named hold must match the tour and the date of the request. */
async function dateOfRequest(
  trx: Trx,
  tenant: Tenant,
  tour: Tour,
  { holdId, departureDate }: BookingRequest,
): Promise<string | null> {
  if (holdId === null) return departureDate;
  const hold = await getHold(trx, tenant.id, holdId);
  if (hold.tour.id !== tour.id)
    throw new InvalidInputError('body', 'tour_id', 'must be the tour of the hold');
  if (departureDate !== null && departureDate !== hold.departureDate)
    throw new InvalidInputError('body', 'departure_date', "must be the hold's date, or left out");
  return hold.departureDate;
}

/** Locks the departure, consumes the hold (its seats become free for this booking), and reserves the seats. */
async function takeSeats(
  trx: Trx,
  tenant: Tenant,
  tour: Tour,
  date: string,
  request: BookingRequest,
): Promise<BookedSeats> {
  const quantity = request.adults;
  const locked = await lockDeparture(trx, tour.id, date, quantity);
  const hold = await consumeHold(trx, tenant.id, locked, request);
  const departure = await reserveSeatsFor(trx, tenant, locked, quantity);
  return { departure, locked, quantity, hold };
}

/** One adult's price: a hold has locked it; else it is quoted now. */
type AdultPrice = Pick<SeatHold, 'unitPriceMinor' | 'currency' | 'currencyDigits' | 'priceBreakdown'>;

/**
 * Quotes the tenant's price of one adult for the departure, or for the tour when the booking has no date.
 * @throws TourNotFoundError (404)
 */
async function quoteAdult(
  trx: Trx,
  tenant: Tenant,
  tourId: string,
  departure: Departure | undefined,
): Promise<AdultPrice> {
  const { tour, prices } = departure ?? (await basePrice(trx, tenant, tourId));
  const quote = await quoteTenantPrice(trx, tenant, tour, prices, departure?.departureDate ?? null);
  const { currency, currencyDigits } = tour;
  const priceBreakdown = explainPrice(quote, currencyDigits);
  return { unitPriceMinor: quote.tenant.adult, currency, currencyDigits, priceBreakdown };
}

/** Reads the tour again, because the request may have waited for its idempotency key. */
async function basePrice(trx: Trx, tenant: Tenant, tourId: string) {
  const tour = await getVisibleTour(trx, tenant, tourId);
  return { tour, prices: { adult: tour.basePriceMinor } };
}

function newLead(
  tenant: Tenant,
  tour: Tour,
  request: BookingRequest,
  { unitPriceMinor, currency, currencyDigits, priceBreakdown }: AdultPrice,
  seats: BookedSeats | undefined,
): NewLead {
  const { adults, customer, notes, by } = request;
  const { departure, hold } = seats ?? {};
  const totalMinor = unitPriceMinor * adults;
  const paymentMethod = request.paymentMethod ?? tenant.paymentMethod;
  return {
    ...{ tenant, adults, customer, notes, by, unitPriceMinor, totalMinor, currency, currencyDigits },
    tourId: tour.id,
    departureId: departure?.id ?? null,
    departureDate: departure?.departureDate ?? null,
    holdId: hold?.id ?? null,
    externalRef: request.externalRef ?? hold?.externalRef ?? null,
    depositMinor: depositOf(totalMinor, tenant.depositPercent, paymentMethod),
    priceBreakdown: { ...priceBreakdown, adults, deposit_percent: Number(tenant.depositPercent) },
    paymentMethod,
  };
}

/** Smaller than any difference of prices, larger than the rounding of floats: 3 * 19.99 is 59.97 here. */
const FLOAT_ERROR_MINOR = 0.001;

/** @throws PriceChangedError when the total is not the one that the customer saw (409) */
function assertExpectedTotal(
  expected: number | null,
  { totalMinor, currency, currencyDigits }: Pick<NewLead, 'totalMinor' | 'currency' | 'currencyDigits'>,
): void {
  if (expected === null) return;
  const differenceMinor = Math.abs(expected * 10 ** currencyDigits - totalMinor);
  if (differenceMinor > FLOAT_ERROR_MINOR)
    throw new PriceChangedError(toMajor(totalMinor, currencyDigits), currency);
}
