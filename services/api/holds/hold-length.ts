import { InvalidInputError } from '../../platform/errors';
import type { LockedDeparture } from '../departures/departure';
import type { Tenant } from '../tenants/tenant';
import { addMinutes, earlierOf } from './clock-text';
import type { SeatHold } from './seat-hold';

/**
 * Limits the minutes of a hold. Other files have the other limits:
 * - hold.dto.ts: 1 to 60 minutes in one request.
 * - tenants/manage-tenants.ts: the tenant's default and maximum.
 * - seats/changes/place-hold.ts and seats/changes/extend-hold.ts: expires_at, from the clock read after the lock.
 * - 0106_holds.sql: the constraints of seat_holds repeat the 120 minutes. 0161_statuses.sql: hold_lives() and hold_lapsed() compare expires_at.
 */

/** The longest time from the placing of a hold to its end, with all extensions. */
export const LIFE_MINUTES = 120;

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
 * Checks that a hold, after an extension to `holdMinutes` from now, ends within LIFE_MINUTES of its placing.
 * @param lifeSecondsLeft seconds from now to this limit
 * @throws InvalidInputError (400)
 */
export function assertHoldLife(lifeSecondsLeft: number, holdMinutes: number): void {
  if (holdMinutes * 60 <= lifeSecondsLeft) return;
  const problem = `must not keep the hold alive for more than ${LIFE_MINUTES} minutes`;
  throw new InvalidInputError('body', 'hold_minutes', problem);
}

/**
 * Returns the end of a hold of so many minutes from now: no later than its departure closes; for a hold of the desk, no later than the
 * departure is past.
 * @rule when a hold ends, or expires: test/api/hold-end.test.ts
 */
export function holdEnd(
  at: string,
  { holdMinutes, byDesk }: Pick<SeatHold, 'holdMinutes' | 'byDesk'>,
  { closingAt, pastAt }: Pick<LockedDeparture, 'closingAt' | 'pastAt'>,
): string {
  return earlierOf(addMinutes(at, holdMinutes), byDesk ? pastAt : closingAt);
}

/** Returns the closing of a departure whose seats a hold takes, if the hold would end after it. Undefined: the end of the hold stays. */
export function nearerEnd(
  { expiresAt }: Pick<SeatHold, 'expiresAt'>,
  { closingAt }: Pick<LockedDeparture, 'closingAt'>,
): string | undefined {
  return Date.parse(closingAt) < expiresAt.getTime() ? closingAt : undefined;
}
