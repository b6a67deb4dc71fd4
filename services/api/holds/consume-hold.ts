import type { Trx } from '../../platform/database';
import type { LockedDeparture } from '../departures/reserve-seats';
import type { Actor } from '../tenants/actor';
import { assertLive } from './extend-hold';
import { getHold } from './find-hold';
import type { SeatHold } from './seat-hold';
import { endHold, findLiveHoldsByReference } from './seat-hold.repository';

/**
 * Turns a hold into (a part of) a booking, under the departure's lock: the named one, or the tenant's only live hold on
 * the departure with the booking's reference. Its seats are free for the booking that the caller makes now.
 * @throws HoldExpiredError, HoldStateConflictError for a named hold that is over (409)
 */
export async function consumeHold(
  trx: Trx,
  tenantId: string,
  departure: LockedDeparture,
  named: { holdId: string | null; externalRef: string | null; by: Actor | null },
): Promise<SeatHold | undefined> {
  const hold = named.holdId
    ? await getHold(trx, tenantId, named.holdId)
    : await onlyHoldByReference(trx, tenantId, departure, named.externalRef);
  if (!hold) return undefined;
  assertLive(hold);
  await endHold(trx, hold.id, 'converted', { at: departure.at, by: named.by });
  return hold;
}

async function onlyHoldByReference(
  trx: Trx,
  tenantId: string,
  departure: LockedDeparture,
  externalRef: string | null,
): Promise<SeatHold | undefined> {
  if (!externalRef) return undefined;
  const holds = await findLiveHoldsByReference(trx, tenantId, departure.id, externalRef);
  return holds.length === 1 ? holds[0] : undefined;
}
