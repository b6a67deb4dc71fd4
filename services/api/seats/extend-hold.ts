import type { Trx } from '../../platform/database/database';
import { assertNotMoved, assertOpen } from '../departures/reserve-seats';
import { assertActive } from '../holds/change-hold';
import { getHold } from '../holds/find-hold';
import { assertHoldLife, assertHoldMinutes } from '../holds/hold-length';
import { type NamedHold, partyOfHold, type SeatHold } from '../holds/seat-hold';
import { extendHoldRow } from '../holds/seat-hold.repository';
import { withoutKey, type RunIdempotent, type ReplayedResponse } from '../idempotency/run-idempotent';
import type { Tenant } from '../tenants/tenant';
import { lockAndReadFacts } from './change-seats';
import { assertVisible, type DepartureFacts, existingDeparture } from './read/sale-facts';

/**
 * Extends the hold to `holdMinutes` from now. Never shortens it. A hold ends two hours after it was placed at the latest.
 * @throws HoldNotFoundError, TourNotFoundError (404), InvalidInputError (400), HoldExpiredError, HoldStateConflictError, DepartureGoneError,
 *   DepartureCancelledError, DepartureBusyError (409)
 */
export async function extendHold(
  trx: Trx,
  tenant: Tenant,
  { holdId, by, holdMinutes }: NamedHold & { holdMinutes: number },
  runIdempotent: RunIdempotent<SeatHold> = withoutKey,
): Promise<SeatHold | ReplayedResponse> {
  assertHoldMinutes(tenant, holdMinutes);
  const { departureId, tour } = await getHold(trx, tenant.id, holdId);
  return runIdempotent(async () => {
    const facts = await lockAndReadFacts(trx, tenant, tour.id, [departureId]);
    const hold = await getHold(trx, tenant.id, holdId);
    assertNotMoved(departureId, hold);
    assertBookable(facts, tenant, hold);
    await assertHoldLife(trx, hold.id, holdMinutes, facts.at);
    await extendHoldRow(trx, hold.id, { minutes: holdMinutes, at: facts.at, by });
    return getHold(trx, tenant.id, hold.id);
  });
}

/**
 * Checks that the tenant could book the hold now. Needs no free seat, because the hold has its seats. The rate of the tour may be missing,
 * because the prices are locked.
 * @throws TourNotFoundError (404), HoldExpiredError, HoldStateConflictError, DepartureGoneError, DepartureCancelledError (409)
 */
function assertBookable(facts: DepartureFacts, tenant: Tenant, hold: SeatHold): void {
  const { tour, departureId, departureDate, quantity } = hold;
  const party = partyOfHold(hold);
  const departure = existingDeparture(facts, { tenant, tour, party, departureId, departureDate, times: [] });
  assertVisible(facts, tenant, departure);
  assertActive(hold);
  assertOpen(departure, quantity);
}
