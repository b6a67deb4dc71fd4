import type { Trx } from '../../platform/database';
import { relockDeparture } from '../departures/reserve-seats';
import { getHold } from './find-hold';
import { HoldStateConflictError } from './hold.errors';
import type { SeatHold } from './seat-hold';
import { endHold } from './seat-hold.repository';

/**
 * Gives the hold's seats back. What is already released or expired stays as it is: its seats are free.
 * @param tenantId undefined in the operator's terminal alone
 * @throws HoldNotFoundError (404), HoldStateConflictError for a hold that became a booking (409)
 */
export async function releaseHold(trx: Trx, tenantId: string | undefined, id: string): Promise<SeatHold> {
  const { departureId } = await getHold(trx, tenantId, id);
  const { at } = await relockDeparture(trx, departureId);
  const hold = await getHold(trx, tenantId, id);
  if (hold.status === 'converted') throw new HoldStateConflictError(hold.status);
  if (hold.status === 'active') await endHold(trx, hold.id, 'released', at);
  return getHold(trx, tenantId, id);
}
