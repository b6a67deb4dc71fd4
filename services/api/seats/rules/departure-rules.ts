import { TourNotFoundError } from '../../catalog/catalog.errors';
import { assertSellable } from '../../catalog/find-tour';
import { wantedOf } from '../../departures/check-seats';
import { assertNotSeveral } from '../../departures/choose-departure';
import type { Departure, LockedDeparture, WantedSeats } from '../../departures/departure';
import { PriceChangedError } from '../../bookings/booking.errors';
import type { TourRef } from '../../catalog/tour';
import type { DepartureChoice } from '../../departures/choose-departure';
import { isSameAmount, toMajor } from '../../pricing/currency';
import { DepartureGoneError } from '../../departures/departure.errors';
import type { LockedPrice, PricedTour } from '../../pricing/price-categories';
import { lockPrice, quoterFromRules } from '../../pricing/quote-tenant-price';
import type { Tenant } from '../../tenants/tenant';
import { countedKey, type DepartureFacts, type UndatedTour, viewKey } from '../read/facts';
import { firstCategory, type Prices } from '../../parties/party-rules';

/** The departure for which a sale, or the change of a hold or booking, asks. */
export interface RequestedDeparture extends DepartureChoice {
  tenant: Tenant;
  tour: TourRef;
  seats: number;
  departureDate: string;
  /** HH:MM. Undefined: not named. */
  departureTime?: string;
}

/**
 * Returns the locked departure, with its seats of the sandbox for a sandbox tenant, otherwise with its real seats.
 * @throws InvalidInputError if the request must choose among several departures (400), DepartureGoneError if there is no such
 *   departure (409)
 */
export function existingDeparture(facts: DepartureFacts, asked: RequestedDeparture): LockedDeparture {
  const { tenant, departureId, departureTime } = asked;
  assertNotSeveral(asked, 'body');
  const departure = lockedDeparture(facts, tenant, departureId);
  // The departure's time may have changed during the wait for the lock.
  const leavesThen = departureTime === undefined || departure?.startTime === departureTime;
  if (departure && leavesThen) return departure;
  throw new DepartureGoneError(wantedOfMissing(asked));
}

/** Returns the locked departure with its seats of the tenant's kind. Undefined: it does not exist. */
export function lockedDeparture(
  { departures }: Pick<DepartureFacts, 'departures'>,
  { sandbox }: Pick<Tenant, 'sandbox'>,
  departureId: string | null,
): LockedDeparture | undefined {
  return departureId === null ? undefined : departures.get(countedKey(departureId, sandbox));
}

/** Describes a request for a departure that does not exist. The refusal contains this description. */
function wantedOfMissing({
  tenant,
  tour,
  seats,
  departureDate,
  departureTime,
}: RequestedDeparture): WantedSeats {
  return {
    tourId: tour.id,
    departureId: null,
    departureDate,
    departureTime: departureTime ?? null,
    quantity: seats,
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
  const first = firstCategory(tour.categories).code;
  return assertSellable(quotePrices(facts, tenant, tour, { [first]: tour.basePriceMinor }, null));
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
  return quote && lockPrice(quote);
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
