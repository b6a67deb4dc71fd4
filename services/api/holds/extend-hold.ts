import type { Trx } from '../../platform/database';
import { InvalidInputError } from '../../platform/errors';
import { relockDeparture } from '../departures/reserve-seats';
import { always, type Once, type Replay } from '../idempotency/once';
import type { Tenant } from '../tenants/tenant';
import { getHold } from './find-hold';
import { HoldExpiredError, HoldStateConflictError } from './hold.errors';
import { assertHoldMinutes } from './place-hold';
import type { NamedHold, SeatHold } from './seat-hold';
import { exceedsHoldLife, extendHoldRow } from './hold-extension.repository';

/**
 * Counts the hold's minutes anew from now; never shortens it, and never past two hours of life.
 * @throws HoldNotFoundError (404), InvalidInputError (400), HoldExpiredError, HoldStateConflictError (409)
 */
export async function extendHold(
  trx: Trx,
  tenant: Tenant,
  { holdId, by, holdMinutes }: NamedHold & { holdMinutes: number },
  once: Once<SeatHold> = always,
): Promise<SeatHold | Replay> {
  assertHoldMinutes(tenant, holdMinutes);
  const { departureId } = await getHold(trx, tenant.id, holdId);
  return once({ hold: holdId.toLowerCase() }, async () => {
    const { at } = await relockDeparture(trx, departureId);
    const hold = await getHold(trx, tenant.id, holdId);
    assertLive(hold);
    if (await exceedsHoldLife(trx, hold.id, holdMinutes, at)) {
      throw new InvalidInputError(
        'body',
        'hold_minutes',
        'must not keep the hold alive for more than 120 minutes',
      );
    }
    await extendHoldRow(trx, hold.id, { minutes: holdMinutes, at, by });
    return getHold(trx, tenant.id, hold.id);
  });
}

/** @throws HoldExpiredError, HoldStateConflictError (409) */
export function assertLive(hold: SeatHold): void {
  if (hold.status === 'expired') throw new HoldExpiredError();
  if (hold.status !== 'active') throw new HoldStateConflictError(hold.status);
}
