import type { Trx } from '../../platform/database/database';
import { InvalidInputError } from '../../platform/errors';
import type { Tenant } from '../tenants/tenant';
import { exceedsHoldLife } from './seat-hold.repository';

/**
 * Limits the minutes of a hold. Other files have the other limits:
 * - hold.dto.ts: 1 to 60 minutes in one request.
 * - tenants/manage-tenants.ts: the tenant's default and maximum.
 * - seats/write.ts and extendHoldRow: expires_at, from the clock read after the lock.
 * - 0106_holds.sql: the constraints of seat_holds repeat the 120 minutes; hold_lives() and hold_lapsed() compare expires_at.
 */

/** The longest time from the placing of a hold to its end, with all extensions. */
const LIFE_MINUTES = 120;

/**
 * Checks the maximum that the tenant has set, which may be below the 60 minutes of the API. A stored answer of the request comes first,
 * because the maximum may have changed since.
 * @param holdMinutes undefined: the tenant's default
 * @throws InvalidInputError (400)
 */
export function assertHoldMinutes({ holdMaxMinutes }: Tenant, holdMinutes: number | undefined): void {
  if (holdMinutes !== undefined && holdMinutes > holdMaxMinutes)
    throw new InvalidInputError('body', 'hold_minutes', `must be at most ${holdMaxMinutes}`);
}

/**
 * Checks that the hold, after this extension, ends within LIFE_MINUTES of its placing.
 * @param at the clock reading from which `holdMinutes` count
 * @throws InvalidInputError (400)
 */
export async function assertHoldLife(
  trx: Trx,
  holdId: string,
  holdMinutes: number,
  at: string,
): Promise<void> {
  if (await exceedsHoldLife(trx, holdId, { minutes: holdMinutes, at, lifeMinutes: LIFE_MINUTES })) {
    const problem = `must not keep the hold alive for more than ${LIFE_MINUTES} minutes`;
    throw new InvalidInputError('body', 'hold_minutes', problem);
  }
}
