import type { Db } from '../../platform/database';
import { isUuid } from '../../platform/text-forms';
import type { TenantScope } from '../tenants/tenant';
import { AmbiguousHoldReferenceError, HoldNotFoundError, noLiveHold } from './hold.errors';
import type { SeatHold } from './seat-hold';
import {
  findHold,
  findHolds,
  findHoldsById,
  findLiveHoldsByReference,
  hasHoldWithReference,
  type HoldFilter,
} from './seat-hold.repository';

/**
 * Returns the hold.
 * @param id any text; a text that is not a UUID finds no hold
 * @throws HoldNotFoundError for an unknown hold and for another tenant's alike (404)
 */
export async function getHold(db: Db, scope: TenantScope, id: string): Promise<SeatHold> {
  const hold = isUuid(id) ? await findHold(db, scope, id.toLowerCase()) : undefined;
  if (!hold) throw new HoldNotFoundError();
  return hold;
}

/** Returns those of the holds that exist, in no order. */
export async function getHolds(db: Db, scope: TenantScope, ids: string[]): Promise<SeatHold[]> {
  return findHoldsById(db, scope, ids);
}

/**
 * Returns holds, newest first.
 * @throws HoldNotFoundError when `after` is unknown
 */
export async function listHolds(db: Db, scope: TenantScope, filter: HoldFilter): Promise<SeatHold[]> {
  if (filter.after !== undefined) await getHold(db, scope, filter.after);
  return findHolds(db, scope, filter);
}

/** Returns one page, newest first; `lastId` starts the next page, null ends the list. */
export async function pageOfHolds(
  db: Db,
  scope: TenantScope,
  filter: HoldFilter,
): Promise<{ items: SeatHold[]; lastId: string | null }> {
  const holds = await findHolds(db, scope, { ...filter, limit: filter.limit + 1 });
  const items = holds.slice(0, filter.limit);
  return { items, lastId: holds.length > filter.limit ? items.at(-1)!.id : null };
}

/** Returns the date of the tenant's only live hold of the tour with the reference; null when none or several have it. */
export async function findOnlyLiveDate(
  db: Db,
  tenantId: string,
  tourId: string,
  externalRef: string,
): Promise<string | null> {
  const live = await findLiveHoldsByReference(db, tenantId, tourId, externalRef);
  return live.length === 1 ? live[0]!.departureDate : null;
}

/**
 * Finds the date of a booking that has a reference and no date: the date of the tenant's only live hold of the tour with the
 * same reference. The caller then locks that departure and reads the hold again.
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
  const live = await findLiveHoldsByReference(db, tenantId, tourId, externalRef);
  if (live.length === 1) return live[0]!.departureDate;
  if (live.length > 1) throw new AmbiguousHoldReferenceError();
  if (await hasHoldWithReference(db, tenantId, tourId, externalRef)) throw noLiveHold();
  return null;
}
