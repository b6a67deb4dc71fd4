import type { Db } from '../../platform/database/database';
import { assertOpen } from '../departures/check-seats';
import type { LockedDeparture } from '../departures/departure';
import { assertActive, type ChangedHold } from '../holds/change-hold';
import { getHoldPlace } from '../holds/find-hold';
import { HoldStateConflictError } from '../holds/hold.errors';
import { assertHoldLife, assertHoldMinutes, holdEnd } from '../holds/hold-length';
import { octoHoldEvent } from '../holds/octo-booking';
import { type NamedHold } from '../holds/seat-hold';
import type { Actor } from '../tenants/actor';
import type { Tenant } from '../tenants/tenant';
import { assertVisible, existingDeparture } from './decide/departure-rules';
import type { DepartureFacts } from './read/sale-facts';
import type { Seller } from './sale';
import { dateOfHold, type Decided } from './decided';
import type { StoredChange, StoredHold } from './stored-change';
import { changeOfHold, departureOfHold, freeSeatsAfter, unchangedHold } from './stored-hold';

/** The extension of a hold to `holdMinutes` from now, and its actor. */
export type Extension = Pick<NamedHold, 'by'> & { holdMinutes: number };

/**
 * Builds the extension of a hold.
 * @throws HoldNotFoundError (404), InvalidInputError (400); the decision the errors of decideExtension
 */
export async function prepareExtension(
  db: Db,
  seller: Seller<ChangedHold>,
  { holdId, ...extension }: NamedHold & Extension,
): Promise<StoredChange<ChangedHold>> {
  const { tenant } = seller;
  assertHoldMinutes(tenant, extension.holdMinutes);
  const found = await getHoldPlace(db, tenant.id, holdId);
  return changeOfHold(seller, found, (hold, facts) => decideExtension(facts, tenant, hold, extension));
}

/**
 * Extends a hold that could be booked now, until its departure closes at most. Never shortens it. A hold ends two hours after it was placed
 * at the latest.
 * @throws TourNotFoundError (404), InvalidInputError (400), HoldExpiredError, HoldStateConflictError, DepartureGoneError,
 *   DepartureCancelledError (409)
 */
export function decideExtension(
  facts: DepartureFacts,
  tenant: Tenant,
  hold: StoredHold,
  { holdMinutes, by }: Extension,
): Decided<ChangedHold> {
  const departure = bookableDeparture(facts, tenant, hold);
  assertHoldLife(hold.lifeSecondsLeft, holdMinutes);
  const expiresAt = holdEnd(facts.at, holdMinutes, departure);
  if (Date.parse(expiresAt) <= hold.expiresAt.getTime()) return unchangedHold(hold);
  return {
    result: { before: hold, after: { ...hold, holdMinutes, expiresAt: new Date(expiresAt) } },
    hold: {
      id: hold.id,
      columns: { expires_at: expiresAt, hold_minutes: holdMinutes },
      extension: { expiresAt, by },
    },
    changed: [dateOfHold(hold, tenant.sandbox)],
  };
}

/**
 * Returns the departure of a hold that the tenant could book now. Needs no free seat, because the hold has its seats. The rate of the tour may
 * be missing, because the prices are locked.
 * @throws TourNotFoundError (404), HoldExpiredError, HoldStateConflictError, DepartureGoneError, DepartureCancelledError (409)
 */
function bookableDeparture(facts: DepartureFacts, tenant: Tenant, hold: StoredHold): LockedDeparture {
  const { tour, departureId, departureDate, seats } = hold;
  const departure = existingDeparture(facts, { tenant, tour, seats, departureId, departureDate, times: [] });
  assertVisible(facts, tenant, departure);
  assertActive(hold);
  assertOpen(departure, seats);
  return departure;
}

/** Builds the release of a hold. @throws HoldNotFoundError (404); the decision the errors of decideRelease */
export async function prepareRelease(
  db: Db,
  seller: Seller<ChangedHold>,
  { holdId, by }: NamedHold,
): Promise<StoredChange<ChangedHold>> {
  const { tenant } = seller;
  const found = await getHoldPlace(db, tenant.id, holdId);
  return changeOfHold(seller, found, (hold, facts) => decideRelease(facts, tenant, hold, by));
}

/**
 * Releases a hold; its seats become free. A released or expired hold stays unchanged. A hold of OCTO has the event of its subscriptions.
 * @throws HoldStateConflictError for a hold that became a booking (409)
 */
export function decideRelease(
  facts: DepartureFacts,
  tenant: Tenant,
  hold: StoredHold,
  by: Actor | null,
): Decided<ChangedHold> {
  if (hold.status === 'converted') throw new HoldStateConflictError(hold.status);
  if (hold.status !== 'active') return unchangedHold(hold);
  const seatsAvailable = freeSeatsAfter(departureOfHold(facts, hold, tenant.sandbox), -hold.seats);
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
    changed: [dateOfHold(hold, tenant.sandbox)],
  };
}
