import type { Trx } from '../../platform/database';
import { relockDeparture } from '../departures/reserve-seats';
import type { TenantScope } from '../tenants/tenant-scope';
import { getHold } from './find-hold';
import { HoldStateConflictError } from './hold.errors';
import type { NamedHold, SeatHold } from './seat-hold';
import { endHold } from './seat-hold.repository';

/**
 * Gives the hold's seats back. What is already released or expired stays as it is: its seats are free.
 * @throws HoldNotFoundError (404), HoldStateConflictError for a hold that became a booking (409)
 */
export async function releaseHold(
  trx: Trx,
  scope: TenantScope,
  { holdId, by }: NamedHold,
): Promise<SeatHold> {
  const { departureId } = await getHold(trx, scope, holdId);
  const { at } = await relockDeparture(trx, departureId);
  const hold = await getHold(trx, scope, holdId);
  if (hold.status === 'converted') throw new HoldStateConflictError(hold.status);
  if (hold.status === 'active') await endHold(trx, hold.id, 'released', { at, by });
  return getHold(trx, scope, holdId);
}
