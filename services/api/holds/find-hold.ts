import type { Db } from '../../platform/database';
import { isUuid } from '../../platform/text-forms';
import type { TenantScope } from '../tenants/tenant-scope';
import { HoldNotFoundError } from './hold.errors';
import type { SeatHold } from './seat-hold';
import { findHold, findHolds, type HoldFilter } from './seat-hold.repository';

/** @throws HoldNotFoundError unknown and another tenant's alike (404); any other text is not a hold */
export async function getHold(db: Db, scope: TenantScope, id: string): Promise<SeatHold> {
  const hold = isUuid(id) ? await findHold(db, scope, id.toLowerCase()) : undefined;
  if (!hold) throw new HoldNotFoundError();
  return hold;
}

/**
 * Newest first.
 * @throws HoldNotFoundError of `after`
 */
export async function listHolds(db: Db, scope: TenantScope, filter: HoldFilter): Promise<SeatHold[]> {
  if (filter.after !== undefined) await getHold(db, scope, filter.after);
  return findHolds(db, scope, filter);
}
