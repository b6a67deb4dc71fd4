import type { Trx } from '../../platform/database';
import { InvalidInputError } from '../../platform/errors';
import { enqueueDelivery } from '../../webhook-queue/enqueue-delivery';
import { getVisibleTour } from '../catalog/find-visible-tour';
import type { Tour } from '../catalog/tour';
import type { Departure } from '../departures/departure';
import { lockDeparture, reserveSeats } from '../departures/reserve-seats';
import { consumeHold } from '../holds/consume-hold';
import { getHold } from '../holds/find-hold';
import type { SeatHold } from '../holds/seat-hold';
import { always, type Once, type Replay } from '../idempotency/once';
import { toMajor } from '../money/currency';
import { explainPrice } from '../pricing/explain-price';
import { quoteTenantPrice } from '../pricing/quote-tenant-price';
import { depositOf } from '../pricing/tenant-price';
import type { Actor } from '../tenants/actor';
import type { PaymentMethod, Tenant } from '../tenants/tenant';
import { PriceChangedError } from './booking.errors';
import { bookingLeadEvent } from './booking-event';
import type { BookingLead, Customer } from './booking-lead';
import { insertLead } from './booking-lead.repository';
import { getBooking } from './find-booking';

export interface BookingRequest {
  /** UUID or slug. */
  tour: string;
  /** Null: no date, and then nothing is reserved, unless a hold names one. */
  departureDate: string | null;
  adults: number;
  customer: Customer;
  /** Null: the tenant's own. */
  paymentMethod: PaymentMethod | null;
  holdId: string | null;
  /** Major units, what the customer was shown. */
  expectedTotal: number | null;
  externalRef: string | null;
  notes: string | null;
  /** Null: nobody who is on record. */
  by: Actor | null;
}

/**
 * Creates a booking lead with status pending payment: checks that the tenant sees the tour, reserves the seats where there
 * is a date, makes the tenant's price, and records the pending delivery of booking.created. All of it or nothing.
 * @throws TourNotFoundError, HoldNotFoundError (404), InvalidInputError (400), and what lockDeparture, reserveSeats,
 *   consumeHold and assertExpectedTotal refuse (409)
 */
export async function createBooking(
  trx: Trx,
  tenant: Tenant,
  request: BookingRequest,
  once: Once<BookingLead> = always,
): Promise<BookingLead | Replay> {
  const tour = await getVisibleTour(trx, tenant, request.tour);
  const date = await dateOfBooking(trx, tenant, tour, request);

  return once({ tour: tour.id, hold: request.holdId?.toLowerCase() ?? null }, async () => {
    const locked = date === null ? undefined : await lockDeparture(trx, tour.id, date, request.adults);
    const hold = locked && (await consumeHold(trx, tenant.id, locked, request));
    const departure = locked && (await reserveSeats(trx, locked, request.adults));
    const price = hold ?? (await quoteAdult(trx, tenant, tour, departure));
    const totalMinor = price.unitPriceMinor * request.adults;
    assertExpectedTotal(request.expectedTotal, totalMinor, price);

    const paymentMethod = request.paymentMethod ?? tenant.paymentMethod;
    const id = await insertLead(trx, {
      ...request,
      unitPriceMinor: price.unitPriceMinor,
      currency: price.currency,
      currencyDigits: price.currencyDigits,
      tenant,
      tourId: tour.id,
      departureId: departure?.id ?? null,
      departureDate: date,
      holdId: hold?.id ?? null,
      totalMinor,
      depositMinor: depositOf(totalMinor, tenant.depositPercent, paymentMethod),
      priceBreakdown: {
        ...price.priceBreakdown,
        adults: request.adults,
        deposit_percent: Number(tenant.depositPercent),
      },
      paymentMethod,
    });
    const lead = await getBooking(trx, tenant.id, bookingRefOf(tenant, id));
    await enqueueDelivery(trx, bookingLeadEvent('booking.created', lead));
    return lead;
  });
}

function bookingRefOf(tenant: Tenant, leadId: number): string {
  return `${tenant.bookingPrefix}-${leadId}`;
}

/** A hold that is named must be one of this tour, and of the date, where both say one. */
async function dateOfBooking(
  trx: Trx,
  tenant: Tenant,
  tour: Tour,
  request: BookingRequest,
): Promise<string | null> {
  if (request.holdId === null) return request.departureDate;
  const hold = await getHold(trx, tenant.id, request.holdId);
  if (hold.tour.id !== tour.id)
    throw new InvalidInputError('body', 'tour_id', 'must be the tour of the hold');
  if (request.departureDate !== null && request.departureDate !== hold.departureDate) {
    throw new InvalidInputError('body', 'departure_date', "must be the hold's date, or left out");
  }
  return hold.departureDate;
}

/** What a hold locks, and a quote makes. */
type AdultPrice = Pick<SeatHold, 'unitPriceMinor' | 'currency' | 'currencyDigits' | 'priceBreakdown'>;

/** The tenant's price of one adult: of the departure, or without one of the tour. A hold has its own, for all adults. */
async function quoteAdult(
  trx: Trx,
  tenant: Tenant,
  tour: Tour,
  departure: Departure | undefined,
): Promise<AdultPrice> {
  const platform = departure?.prices ?? { adult: tour.basePriceMinor };
  const quote = await quoteTenantPrice(trx, tenant, tour, platform, departure?.departureDate ?? null);
  const { currency, currencyDigits } = tour;
  const priceBreakdown = explainPrice(quote, currencyDigits);
  return { unitPriceMinor: quote.tenant.adult, currency, currencyDigits, priceBreakdown };
}

/** Smaller than any price can differ, larger than what adding floats leaves behind: 19.99 three times is 59.97. */
const FLOAT_NOISE_MINOR = 0.001;

function assertExpectedTotal(expected: number | null, totalMinor: number, price: AdultPrice): void {
  if (expected === null) return;
  const differenceMinor = Math.abs(expected * 10 ** price.currencyDigits - totalMinor);
  if (differenceMinor > FLOAT_NOISE_MINOR)
    throw new PriceChangedError(toMajor(totalMinor, price.currencyDigits), price.currency);
}
