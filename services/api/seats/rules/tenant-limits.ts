import type { Departure } from '../../departures/departure';
import { HoldLimitReachedError } from '../../holds/hold.errors';
import type { Tenant } from '../../tenants/tenant';
import { countFor, type DepartureFacts, type SaleFacts, viewKey } from '../read/facts';

/**
 * The three limits of a tenant: its live holds, its unpaid bookings, and its share of a departure's seats. read-facts.ts counts the
 * holds, bookings and seats after the lock of the departure.
 */

/** @throws HoldLimitReachedError (409) */
export function assertMoreHolds({ liveHolds }: SaleFacts, { id, maxHolds }: Tenant): void {
  if (countFor(liveHolds, id) < maxHolds) return;
  throw new HoldLimitReachedError(
    `You have ${maxHolds} active holds, the most that you may have. Release some, or let them expire.`,
  );
}

/** @throws HoldLimitReachedError (409) */
export function assertMoreUnpaid({ unpaidLeads }: SaleFacts, { id, maxUnpaid }: Tenant): void {
  if (countFor(unpaidLeads, id) < maxUnpaid) return;
  throw new HoldLimitReachedError(
    `The most unpaid bookings that you may have is ${maxUnpaid}. Confirm or cancel some, or let them expire.`,
  );
}

/**
 * Limits the seats of a departure that one tenant keeps without payment, so that it cannot block the departure for other tenants. A share
 * of 100 % limits nothing.
 * @param more seats that the sale adds
 * @throws HoldLimitReachedError (409)
 */
export function assertWithinShare(
  { unpaidSeats }: DepartureFacts,
  tenant: Tenant,
  departure: Departure,
  more: number,
): void {
  const share = shareOf(tenant, departure);
  if (countFor(unpaidSeats, viewKey(tenant.id, departure.id)) + more <= share) return;
  throw new HoldLimitReachedError(
    `The most seats of this departure that your active holds and unpaid bookings may keep is ${share}.`,
  );
}

function shareOf({ maxHoldShare }: Tenant, { seatsTotal }: Departure): number {
  return Math.max(1, Math.floor((seatsTotal * maxHoldShare) / 100));
}
