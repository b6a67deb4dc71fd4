import type { Departure } from '../departures/departure';
import { HoldLimitReachedError } from '../holds/hold.errors';
import type { Tenant } from '../tenants/tenant';
import { countFor, type DepartureFacts, type SaleFacts, sellerKey } from './sale-facts';

/**
 * The three limits of a tenant: its live holds, its unpaid bookings, and its share of a departure's seats. read-sale-facts.ts counts
 * them, under the lock of the departure.
 */

/** @throws HoldLimitReachedError (409) */
export function assertMoreHolds({ liveHolds }: SaleFacts, { id, maxHolds }: Tenant): void {
  if (countFor(liveHolds, id) < maxHolds) return;
  throw new HoldLimitReachedError(
    `You have ${maxHolds} live holds, the most that you may have. Release some, or let them expire.`,
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
 * Limits one tenant's seats of a departure, so that it cannot block it for the others. A share of 100 % limits nothing.
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
  if (countFor(unpaidSeats, sellerKey(tenant.id, departure.id)) + more <= share) return;
  throw new HoldLimitReachedError(
    `The most seats of this departure that your live holds and unpaid bookings may keep is ${share}.`,
  );
}

function shareOf({ maxHoldShare }: Tenant, { seatsTotal }: Departure): number {
  return Math.max(1, Math.floor((seatsTotal * maxHoldShare) / 100));
}
