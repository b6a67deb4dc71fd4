import type { Trx } from '../../platform/database';
import type { Departure } from '../departures/departure';
import type { LockedDeparture } from '../departures/reserve-seats';
import type { Tenant } from '../tenants/tenant';
import { HoldLimitReachedError } from './hold.errors';
import type { SeatHold } from './seat-hold';
import { countLiveHolds, countUnpaidLeads, countUnpaidSeats } from './tenant-limits.repository';

/**
 * Refuses a hold beyond the tenant's limits, so that one tenant cannot block a departure or the catalog for the others. The
 * number of holds is approximate, because concurrent requests are not counted; the share is exact under the departure's lock.
 * @throws HoldLimitReachedError (409)
 */
export async function assertHoldAllowed(
  trx: Trx,
  tenant: Tenant,
  departure: Departure,
  { at }: LockedDeparture,
  quantity: number,
): Promise<void> {
  if ((await countLiveHolds(trx, tenant.id, at)) >= tenant.maxHolds) {
    throw new HoldLimitReachedError(
      `You have ${tenant.maxHolds} live holds, the most that you may have. Release some, or let them expire.`,
    );
  }
  await assertWithinShare(trx, tenant, departure, at, quantity);
}

/** The seats that a booking takes of a locked departure. */
export interface BookedSeats {
  departure: Departure;
  locked: LockedDeparture;
  quantity: number;
  /** The consumed hold. Its seats passed the limits when they were held. */
  hold: SeatHold | undefined;
}

/**
 * Refuses an unpaid booking beyond the tenant's limits, like assertHoldAllowed.
 * @param seats undefined for a booking without a date, which takes no seats
 * @throws HoldLimitReachedError (409)
 */
export async function assertUnpaidAllowed(
  trx: Trx,
  tenant: Tenant,
  seats: BookedSeats | undefined,
): Promise<void> {
  if ((await countUnpaidLeads(trx, tenant.id)) >= tenant.maxUnpaid) {
    throw new HoldLimitReachedError(
      `The most unpaid bookings that you may have is ${tenant.maxUnpaid}. Confirm or cancel some, or let them expire.`,
    );
  }
  if (!seats || seats.quantity <= (seats.hold?.quantity ?? 0)) return;
  await assertWithinShare(trx, tenant, seats.departure, seats.locked.at, seats.quantity);
}

async function assertWithinShare(
  trx: Trx,
  tenant: Tenant,
  departure: Departure,
  at: string,
  quantity: number,
): Promise<void> {
  const share = Math.max(1, Math.floor((departure.seatsTotal * tenant.maxHoldShare) / 100));
  if ((await countUnpaidSeats(trx, tenant.id, departure.id, at)) + quantity <= share) return;
  throw new HoldLimitReachedError(
    `The most seats of this departure that your live holds and unpaid bookings may keep is ${share}.`,
  );
}
