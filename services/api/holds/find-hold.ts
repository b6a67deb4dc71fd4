import type { Db } from '../../platform/database';
import { HoldNotFoundError } from './hold.errors';
import type { SeatHold } from './seat-hold';
import { findHold, findHolds, type HoldFilter } from './seat-hold.repository';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * @param tenantId undefined in the operator's terminal alone
 * @throws HoldNotFoundError unknown and another tenant's alike (404); any other text is not a hold
 */
export async function getHold(db: Db, tenantId: string | undefined, id: string): Promise<SeatHold> {
  const hold = UUID.test(id.toLowerCase()) ? await findHold(db, tenantId, id.toLowerCase()) : undefined;
  if (!hold) throw new HoldNotFoundError();
  return hold;
}

/** Of all tenants, for the operator; newest first. */
export async function listHolds(db: Db, filter: HoldFilter): Promise<SeatHold[]> {
  return findHolds(db, filter);
}
