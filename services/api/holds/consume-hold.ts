import type { Db, Trx } from '../../platform/database';
import type { LockedDeparture } from '../departures/reserve-seats';
import type { Actor } from '../tenants/actor';
import { assertActive } from './change-hold';
import { getHold } from './find-hold';
import { AmbiguousHoldReferenceError, HoldExpiredError } from './hold.errors';
import type { SeatHold } from './seat-hold';
import { endHold, findLiveHoldsByReference, hasHoldWithReference } from './seat-hold.repository';

/** The fields of a booking request that name the hold. */
interface RequestedHold {
  holdId: string | null;
  /** Null: the hold's own date. */
  departureDate: string | null;
  externalRef: string | null;
  by: Actor | null;
}

/**
 * Ends a hold as converted, under the departure's lock, so that its seats are free for the booking that the caller inserts:
 * the named hold, or the tenant's only live hold on the departure with the booking's reference.
 * @returns undefined when the request has no such hold
 * @throws HoldExpiredError, HoldStateConflictError for a named hold that has ended; HoldExpiredError for a booking without a
 *   date whose hold ended during the wait for the lock (409)
 */
export async function consumeHold(
  trx: Trx,
  tenantId: string,
  departure: LockedDeparture,
  { holdId, departureDate, externalRef, by }: RequestedHold,
): Promise<SeatHold | undefined> {
  const hold = holdId
    ? await getHold(trx, tenantId, holdId)
    : await onlyLiveHold(trx, tenantId, departure.id, externalRef);
  if (!hold) {
    if (departureDate === null) throw noLiveHold();
    return undefined;
  }
  assertActive(hold);
  await endHold(trx, hold.id, 'converted', { at: departure.at, by });
  return hold;
}

/**
 * Finds the date of a booking that has a reference and no date: the date of the tenant's only live hold of the tour with the
 * same reference. The caller then locks that departure, and consumeHold reads the hold again.
 * @returns null when no hold has the reference: the booking reserves no seats
 * @throws HoldExpiredError when only ended holds have the reference, AmbiguousHoldReferenceError when several live holds have
 *   it (409)
 */
export async function findDateByReference(
  db: Db,
  tenantId: string,
  tourId: string,
  externalRef: string | null,
): Promise<string | null> {
  if (!externalRef) return null;
  const live = await findLiveHoldsByReference(db, tenantId, { tourId }, externalRef);
  if (live.length === 1) return live[0]!.departureDate;
  if (live.length > 1) throw new AmbiguousHoldReferenceError();
  if (await hasHoldWithReference(db, tenantId, tourId, externalRef)) throw noLiveHold();
  return null;
}

function noLiveHold(): HoldExpiredError {
  return new HoldExpiredError(
    'No hold with this external_ref is live: each has expired, was released or became a booking. Look for a booking with this ' +
      'reference before you send a departure_date or place a new hold.',
  );
}

async function onlyLiveHold(
  trx: Trx,
  tenantId: string,
  departureId: string,
  externalRef: string | null,
): Promise<SeatHold | undefined> {
  if (!externalRef) return undefined;
  const holds = await findLiveHoldsByReference(trx, tenantId, { departureId }, externalRef);
  return holds.length === 1 ? holds[0] : undefined;
}
