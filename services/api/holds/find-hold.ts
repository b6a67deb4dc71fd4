import type { Db } from '../../platform/database';
import { isUuid } from '../../platform/text-forms';
import type { TenantScope } from '../tenants/tenant';
import { HoldNotFoundError } from './hold.errors';
import type { SeatHold } from './seat-hold';
import { findHold, findHolds, type HoldFilter } from './seat-hold.repository';

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

/**
 * Returns holds, newest first.
 * @throws HoldNotFoundError when `after` is unknown
 */
export async function listHolds(db: Db, scope: TenantScope, filter: HoldFilter): Promise<SeatHold[]> {
  if (filter.after !== undefined) await getHold(db, scope, filter.after);
  return findHolds(db, scope, filter);
}
