import type { Trx } from '../../platform/database';
import { InvalidInputError } from '../../platform/errors';
import { getVisibleTour } from '../catalog/find-visible-tour';
import type { Departure } from '../departures/departure';
import { lockDeparture, type LockedDeparture, reserveSeats } from '../departures/reserve-seats';
import { always, type Once, type Replay } from '../idempotency/once';
import { explainPrice } from '../pricing/explain-price';
import { quoteTenantPrice } from '../pricing/quote-tenant-price';
import type { Actor } from '../tenants/actor';
import type { Tenant } from '../tenants/tenant';
import { getHold } from './find-hold';
import { HoldLimitReachedError } from './hold.errors';
import type { PartialCustomer, SeatHold } from './seat-hold';
import { countLiveHolds, insertHold } from './seat-hold.repository';

export interface HoldRequest {
  /** UUID or slug. */
  tour: string;
  departureDate: string;
  quantity: number;
  /** Undefined: the tenant's default. */
  holdMinutes: number | undefined;
  externalRef: string | null;
  customer: PartialCustomer;
  /** Null: nobody who is on record. */
  by: Actor | null;
}

/**
 * Takes seats of one departure for a while, at today's price.
 * @throws TourNotFoundError (404), InvalidInputError (400), DepartureGoneError, DepartureCancelledError,
 *   InsufficientSeatsError, HoldLimitReachedError, DepartureBusyError (409)
 */
export async function placeHold(
  trx: Trx,
  tenant: Tenant,
  request: HoldRequest,
  once: Once<SeatHold> = always,
): Promise<SeatHold | Replay> {
  const holdMinutes = assertHoldMinutes(tenant, request.holdMinutes ?? tenant.holdDefaultMinutes);
  const tour = await getVisibleTour(trx, tenant, request.tour);
  return once({ tour: tour.id }, async () => {
    const locked = await lockDeparture(trx, tour.id, request.departureDate, request.quantity);
    const departure = await reserveSeats(trx, locked, request.quantity);
    await assertWithinLimits(trx, tenant, departure, locked, request.quantity);
    const quote = await quoteTenantPrice(trx, tenant, tour, departure.prices, request.departureDate);
    const hold = {
      tenantId: tenant.id,
      departureId: departure.id,
      quantity: request.quantity,
      holdMinutes,
      unitPriceMinor: quote.tenant.adult,
      currency: tour.currency,
      currencyDigits: tour.currencyDigits,
      priceBreakdown: explainPrice(quote, tour.currencyDigits),
      externalRef: request.externalRef,
      customer: request.customer,
      by: request.by,
    };
    return getHold(trx, tenant.id, await insertHold(trx, hold, locked.at));
  });
}

/** A tenant may allow less than the contract's hour. */
export function assertHoldMinutes(tenant: Tenant, holdMinutes: number): number {
  if (holdMinutes > tenant.holdMaxMinutes) {
    throw new InvalidInputError('body', 'hold_minutes', `must be at most ${tenant.holdMaxMinutes}`);
  }
  return holdMinutes;
}

/** So that one key cannot freeze a departure, or the catalog, for everybody (approximate: others may be placing holds). */
async function assertWithinLimits(
  trx: Trx,
  tenant: Tenant,
  departure: Departure,
  locked: LockedDeparture,
  quantity: number,
): Promise<void> {
  const live = await countLiveHolds(trx, tenant.id, departure.id, locked.at);
  if (live.holds >= tenant.maxHolds) {
    throw new HoldLimitReachedError(`The most live holds that you may have is ${tenant.maxHolds}.`);
  }
  const share = Math.floor((departure.seatsTotal * tenant.maxHoldShare) / 100);
  if (live.seatsOfDeparture + quantity > share) {
    throw new HoldLimitReachedError(
      `The most seats of this departure that your live holds may keep is ${share}.`,
    );
  }
}
