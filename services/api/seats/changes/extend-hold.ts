import type { Db } from '../../../platform/database/database';
import { assertOpen } from '../../departures/check-seats';
import type { LockedDeparture } from '../../departures/departure';
import { getHoldPlace } from '../../holds/find-hold';
import { holdOutcome } from '../../holds/hold-status';
import { assertHoldLife, assertHoldMinutes, holdEnd } from '../../holds/hold-length';
import type { NamedHold, ChangedHold } from '../../holds/seat-hold';
import type { Tenant } from '../../tenants/tenant';
import { dateOfHold, type Decided } from '../decided';
import type { DepartureFacts, StoredHold } from '../read/facts';
import { assertVisible, existingDeparture } from '../rules/departure-rules';
import type { SeatChange, Seller } from '../seat-change';
import { changeOfHold, unchangedHold } from '../stored-hold';

/** The extension of a hold to `holdMinutes` from now, and its actor. */
export type Extension = Pick<NamedHold, 'by'> & { holdMinutes: number };

/**
 * Builds the extension of a hold.
 * @throws HoldNotFoundError (404), InvalidInputError (400); the decision the errors of decideExtension
 */
export async function extendHold(
  db: Db,
  seller: Seller<ChangedHold>,
  { holdId, ...extension }: NamedHold & Extension,
): Promise<SeatChange<ChangedHold>> {
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
  const expiresAt = holdEnd(facts.at, { holdMinutes, byDesk: false }, departure);
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
 * @rule a hold that cannot be booked is not extended: test/api/extend-hold.test.ts
 */
function bookableDeparture(facts: DepartureFacts, tenant: Tenant, hold: StoredHold): LockedDeparture {
  const { tour, departureId, departureDate, seats } = hold;
  const departure = existingDeparture(facts, { tenant, tour, seats, departureId, departureDate, times: [] });
  assertVisible(facts, tenant, departure);
  holdOutcome(hold, 'change');
  assertOpen(departure, seats);
  return departure;
}
