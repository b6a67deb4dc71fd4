import type { Db } from '../../platform/database';
import { HoldNotFoundError } from './hold.errors';
import type { SeatHold } from './seat-hold';
import { findHold } from './seat-hold.repository';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** @throws HoldNotFoundError unknown and another tenant's alike (404); any other text is not a hold */
export async function getHold(db: Db, tenantId: string, id: string): Promise<SeatHold> {
  const hold = UUID.test(id.toLowerCase()) ? await findHold(db, tenantId, id.toLowerCase()) : undefined;
  if (!hold) throw new HoldNotFoundError();
  return hold;
}
