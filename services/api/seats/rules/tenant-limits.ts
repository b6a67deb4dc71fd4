import type { Departure } from '../../departures/departure';
import { HoldLimitReachedError } from '../../holds/hold.errors';
import type { Tenant } from '../../tenants/tenant';
import type { DeskTerms } from '../../bookings/desk-terms';
import { countFor, type DepartureFacts, type HeldSeats, type SaleFacts, viewKey } from '../read/facts';

/**
 * The three limits of a tenant: its live holds, its unpaid bookings, and its share of a departure's seats. read-facts.ts counts the
 * holds, bookings and seats after the lock of the departure.
 */

/**
 * @throws HoldLimitReachedError (409)
 * @rule the most active holds of a tenant, its live holds: test/api/place-hold.test.ts
 */
export function assertMoreHolds({ liveHolds }: SaleFacts, { id, maxHolds }: Tenant): void {
  const live = countFor(liveHolds, id);
  if (live < maxHolds) return;
  throw new HoldLimitReachedError(
    `You have ${live} active holds; the most that you may have is ${maxHolds}. Release some, or let them expire.`,
  );
}

/**
 * Checks how many trips of resources without a booking the tenant's live holds begin. Holds that are placed at the same moment on different
 * resources can exceed the limit.
 * @param begun the trips that the hold begins
 * @throws HoldLimitReachedError (409)
 * @rule the most trips that the holds of a tenant begin: test/resources/sell-resources.long.test.ts
 */
export function assertMoreTrips({ holdTrips }: SaleFacts, { id, maxHoldTrips }: Tenant, begun: number): void {
  if (begun === 0 || countFor(holdTrips, id) + begun <= maxHoldTrips) return;
  throw new HoldLimitReachedError(
    `The most departures without a booking that your active holds may begin is ${maxHoldTrips}. Book or release some, or let them expire.`,
  );
}

/** Returns how many more seats the limits count for a booking. Null: the desk sells it, so they do not count it. */
export function limitedSeats(
  seats: number,
  held: HeldSeats | null,
  desk: DeskTerms | undefined,
): number | null {
  if (desk) return null;
  return seats - (held && !held.byDesk ? held.seats : 0);
}

/**
 * Checks the limits of a booking that is not paid.
 * @param departure null: a booking without a date
 * @param more seats that the share counts. Null: the limits do not bind the booking
 * @throws HoldLimitReachedError (409)
 */
export function assertLimits(
  facts: SaleFacts,
  tenant: Tenant,
  departure: Departure | null,
  more: number | null,
): void {
  if (more === null) return;
  assertMoreUnpaid(facts, tenant);
  if (departure && more > 0) assertWithinShare(facts, tenant, departure, more);
}

/** @throws HoldLimitReachedError (409) */
function assertMoreUnpaid({ unpaidLeads }: SaleFacts, { id, maxUnpaid }: Tenant): void {
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
 * @rule limits of a tenant's unpaid bookings and share: test/api/unpaid-limits.test.ts
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
