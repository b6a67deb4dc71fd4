import type { Db } from '../../platform/database/database';
import { assertOpen } from '../departures/reserve-seats';
import { assertActive, type ChangedHold } from '../holds/change-hold';
import { getHoldPlace } from '../holds/find-hold';
import { HoldStateConflictError } from '../holds/hold.errors';
import { assertHoldLife, assertHoldMinutes } from '../holds/hold-length';
import { octoHoldEvent } from '../holds/octo-booking';
import { type NamedHold, partyOfHold } from '../holds/seat-hold';
import type { Tenant } from '../tenants/tenant';
import { addMinutes } from './clock-text';
import { assertVisible, type DepartureFacts, existingDeparture } from './read/sale-facts';
import type { Seller } from './sale';
import type { Decided } from './decided';
import type { StoredChange, StoredHold } from './stored-change';
import { changeOfHold, dateOf, departureOfHold, freeSeatsAfter, unchangedHold } from './stored-hold';

/** A request to extend a hold to `holdMinutes` from now. */
export type Extension = NamedHold & { holdMinutes: number };

/**
 * Extends a hold. Never shortens it. A hold ends two hours after it was placed at the latest.
 * @throws HoldNotFoundError (404), InvalidInputError (400); the decision also TourNotFoundError (404), HoldExpiredError,
 *   HoldStateConflictError, DepartureGoneError, DepartureCancelledError (409)
 */
export async function extendHold(
  db: Db,
  seller: Seller<ChangedHold>,
  extension: Extension,
): Promise<StoredChange<ChangedHold>> {
  const { tenant } = seller;
  assertHoldMinutes(tenant, extension.holdMinutes);
  const found = await getHoldPlace(db, tenant.id, extension.holdId);
  return changeOfHold(seller, found, (hold, facts) => {
    assertBookable(facts, tenant, hold);
    return decideExtension(hold, extension, facts.at, tenant.sandbox);
  });
}

/** Decides the extension of a hold that can be booked. @param at the clock reading under the lock */
function decideExtension(
  hold: StoredHold,
  { holdMinutes, by }: Extension,
  at: string,
  sandbox: boolean,
): Decided<ChangedHold> {
  assertHoldLife(hold.lifeSecondsLeft, holdMinutes);
  if (holdMinutes * 60 <= hold.secondsLeft) return unchangedHold(hold);
  const expiresAt = addMinutes(at, holdMinutes);
  return {
    result: { before: hold, after: { ...hold, holdMinutes, expiresAt: new Date(expiresAt) } },
    hold: {
      id: hold.id,
      columns: { expires_at: expiresAt, hold_minutes: holdMinutes },
      extension: { expiresAt, by },
    },
    changed: [dateOf(hold, sandbox)],
  };
}

/**
 * Checks that the tenant could book the hold now. Needs no free seat, because the hold has its seats. The rate of the tour may be missing,
 * because the prices are locked.
 * @throws TourNotFoundError (404), HoldExpiredError, HoldStateConflictError, DepartureGoneError, DepartureCancelledError (409)
 */
function assertBookable(facts: DepartureFacts, tenant: Tenant, hold: StoredHold): void {
  const { tour, departureId, departureDate, quantity } = hold;
  const party = partyOfHold(hold);
  const departure = existingDeparture(facts, { tenant, tour, party, departureId, departureDate, times: [] });
  assertVisible(facts, tenant, departure);
  assertActive(hold);
  assertOpen(departure, quantity);
}

/**
 * Releases a hold; its seats become free. A released or expired hold stays unchanged. Enqueues the notification of a hold of OCTO.
 * @throws HoldNotFoundError (404); the decision HoldStateConflictError for a hold that became a booking (409)
 */
export async function releaseHold(
  db: Db,
  seller: Seller<ChangedHold>,
  { holdId, by }: NamedHold,
): Promise<StoredChange<ChangedHold>> {
  const { tenant } = seller;
  const found = await getHoldPlace(db, tenant.id, holdId);
  return changeOfHold(seller, found, (hold, facts) => {
    if (hold.status === 'converted') throw new HoldStateConflictError(hold.status);
    if (hold.status !== 'active') return unchangedHold(hold);
    const seatsAvailable = freeSeatsAfter(departureOfHold(facts, hold, tenant.sandbox), -hold.quantity);
    const after = {
      ...hold,
      status: 'released' as const,
      endedAt: new Date(facts.at),
      endedBy: by,
      seatsAvailable,
    };
    return {
      result: { before: hold, after },
      hold: { id: hold.id, columns: { status: 'released', ended_at: facts.at, ended_by: by } },
      events: hold.octo ? [octoHoldEvent({ id: hold.id, tenantId: tenant.id })] : [],
      changed: [dateOf(hold, tenant.sandbox)],
    };
  });
}
