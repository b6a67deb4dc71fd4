import { type Departure, seatsAvailable } from '../departures/departure';
import { assertNotMoved } from '../departures/check-seats';
import { HoldNotFoundError } from '../holds/hold.errors';
import type { HoldPlace } from '../holds/seat-hold.repository';
import { countedKey, type DepartureFacts, type SaleFacts, type StoredHold } from './read/facts';
import type { Decided } from './decided';
import type { SeatChange, Seller } from './seat-change';
import type { ChangedHold, SeatHold } from '../holds/seat-hold';

/**
 * Builds a change of a hold on its present departure.
 * @param found the hold before the lock
 * @param decide gets the hold under the lock
 */
export function changeOfHold(
  seller: Seller<ChangedHold>,
  found: HoldPlace,
  decide: (hold: StoredHold, facts: SaleFacts) => Decided<ChangedHold>,
): SeatChange<ChangedHold> {
  return {
    ...seller,
    locks: { departureIds: [found.departureId] },
    reads: { holdId: found.id },
    isAlone: true,
    decide: (facts) => decide(lockedHold(facts, found, seller.tenant.sandbox), facts),
  };
}

/**
 * Returns the hold as it is under the lock of its departure.
 * @throws HoldNotFoundError (404); SaleChangedError if another request moved it during the wait (409 after three tries)
 */
export function lockedHold(facts: SaleFacts, { id, departureId }: HoldPlace, sandbox: boolean): StoredHold {
  const hold = facts.storedHolds.get(id);
  if (!hold) throw new HoldNotFoundError();
  assertNotMoved('hold', departureId, hold);
  return withFreeSeats(facts, hold, sandbox);
}

/** Returns the result of a change that changes nothing. */
export function unchangedHold(hold: StoredHold): Decided<ChangedHold> {
  return { result: { before: hold, after: hold }, changed: [] };
}

/** Returns the hold with the free seats that its departure has by the facts. */
export function withFreeSeats<Hold extends SeatHold>(
  { departures }: DepartureFacts,
  hold: Hold,
  sandbox: boolean,
): Hold {
  const departure: Departure = departures.get(countedKey(hold.departureId, sandbox))!;
  return { ...hold, seatsAvailable: seatsAvailable(departure) };
}
