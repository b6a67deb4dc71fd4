import type { Db, Trx } from '../../platform/database/database';
import { getVisibleTour } from '../catalog/find-tour';
import { DepartureTimeMissingError } from '../departures/choose-departure';
import { DepartureGoneError, SaleMovedError } from '../departures/departure.errors';
import type { ReplayedResponse } from '../idempotency/run-idempotent';
import { QUEUE_LIMITS } from './queue/queue-limits';
import type { SaleQueue } from './queue/sale-queue';
import type { StoredChange } from './stored-change';
import { performIn } from './transact-sales';

/** The part of SalesContext that perform uses. */
interface SeatServices {
  db: Db;
  sales: SaleQueue;
}

/** A hold or booking may move to another departure while a change waits for the lock. The change then begins again, within the same two seconds. */
const ATTEMPTS = 3;

/**
 * Performs a change of a stored hold or booking in a transaction of its own.
 * @param prepare builds the change: extendHold, cancelBooking …
 * @throws the errors of `prepare` and of the decision; DepartureBusyError, IdempotencyInProgressError after two seconds (409);
 *   SalesOverloadedError (503)
 */
export async function perform<Result>(
  { db, sales }: SeatServices,
  prepare: () => Promise<StoredChange<Result>>,
): Promise<Result | ReplayedResponse> {
  const lockBy = performance.now() + QUEUE_LIMITS.waitMs;
  for (let attempt = 1; ; attempt++) {
    const change = await prepare();
    try {
      return await sales.perform(change, lockBy);
    } catch (refusal) {
      if (attempt >= ATTEMPTS || !(refusal instanceof SaleMovedError))
        return refuseForTenant(db, change, refusal);
    }
  }
}

/**
 * Performs a change in the caller's transaction, which has locked and checked the API key, or belongs to an operator.
 * @throws as perform; SaleMovedError repeats the transaction
 */
export async function performInTransaction<Result>(trx: Trx, change: StoredChange<Result>): Promise<Result> {
  return performIn(trx, change).catch((refusal: unknown) => refuseForTenant(trx, change, refusal));
}

/**
 * Throws the refusal. If it would show data of a tour that the tenant does not see, throws TourNotFoundError instead: DepartureGoneError has
 * alternative dates, and DepartureTimeMissingError lists the start times.
 */
async function refuseForTenant(
  db: Db,
  { tenant, tour, hidesDates }: Pick<StoredChange, 'tenant' | 'tour' | 'hidesDates'>,
  refusal: unknown,
): Promise<never> {
  const tellsDates = refusal instanceof DepartureGoneError || refusal instanceof DepartureTimeMissingError;
  if (hidesDates && tellsDates) await getVisibleTour(db, tenant, tour.id);
  throw refusal;
}
