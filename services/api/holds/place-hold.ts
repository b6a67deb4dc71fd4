import type { Trx } from '../../platform/database';
import { InvalidInputError } from '../../platform/errors';
import { getVisibleTour } from '../catalog/find-tour';
import { lockDeparture, reserveSeatsFor } from '../departures/reserve-seats';
import { type ReplayedResponse, type RunIdempotent, withoutKey } from '../idempotency/run-idempotent';
import { explainPrice, quoteTenantPrice } from '../pricing/quote-tenant-price';
import type { Actor } from '../tenants/actor';
import type { Tenant } from '../tenants/tenant';
import { getHold } from './find-hold';
import type { PartialCustomer, SeatHold } from './seat-hold';
import { insertHold } from './seat-hold.repository';
import { assertHoldAllowed } from './tenant-limits';

export interface HoldRequest {
  /** UUID or slug. */
  tour: string;
  departureDate: string;
  quantity: number;
  /** Undefined: the tenant's default. */
  holdMinutes: number | undefined;
  externalRef: string | null;
  customer: PartialCustomer;
  /** Null: unknown. */
  by: Actor | null;
}

/**
 * Holds seats of one departure for some minutes, at the current price: finds the visible tour, reserves the seats, checks the
 * tenant's limits, quotes the tenant's price, and inserts the hold.
 * @throws TourNotFoundError (404), InvalidInputError (400), DepartureGoneError, DepartureCancelledError,
 *   InsufficientSeatsError, HoldLimitReachedError, DepartureBusyError (409)
 */
export async function placeHold(
  trx: Trx,
  tenant: Tenant,
  request: HoldRequest,
  runIdempotent: RunIdempotent<SeatHold> = withoutKey,
): Promise<SeatHold | ReplayedResponse> {
  const holdMinutes = assertHoldMinutes(tenant, request.holdMinutes ?? tenant.holdDefaultMinutes);
  const tour = await getVisibleTour(trx, tenant, request.tour);
  return runIdempotent({ tour: tour.id }, async () => {
    const locked = await lockDeparture(trx, tour.id, request.departureDate, request.quantity);
    const departure = await reserveSeatsFor(trx, tenant, locked, request.quantity);
    await assertHoldAllowed(trx, tenant, departure, locked, request.quantity);
    const { tour: pricedTour, prices, departureDate } = departure;
    const quote = await quoteTenantPrice(trx, tenant, pricedTour, prices, departureDate);
    const { currency, currencyDigits } = pricedTour;
    const hold = {
      tenantId: tenant.id,
      departureId: departure.id,
      quantity: request.quantity,
      holdMinutes,
      unitPriceMinor: quote.tenant.adult,
      currency,
      currencyDigits,
      priceBreakdown: explainPrice(quote, currencyDigits),
      externalRef: request.externalRef,
      customer: request.customer,
      by: request.by,
    };
    return getHold(trx, tenant.id, await insertHold(trx, hold, locked.at));
  });
}

/**
 * Checks the tenant's own maximum, which may be below the contract's 60 minutes.
 * @throws InvalidInputError (400)
 */
export function assertHoldMinutes(tenant: Tenant, holdMinutes: number): number {
  if (holdMinutes > tenant.holdMaxMinutes) {
    throw new InvalidInputError('body', 'hold_minutes', `must be at most ${tenant.holdMaxMinutes}`);
  }
  return holdMinutes;
}
