import { getVisibleTour } from '../catalog/find-tour';
import type { Departure, DepartureKey } from '../departures/departure';
import { DepartureGoneError } from '../departures/departure.errors';
import { assertFree, lockDeparturesOfChange } from '../departures/reserve-seats';
import type { Trx } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import { readChangeFacts } from './read-sale-facts';
import { assertVisible, type DepartureFacts } from './sale-facts';
import { assertWithinShare } from './tenant-limits';

/** The departures of a change: the hold or booking leaves one for the other, or stays. */
export interface Move {
  /** Id of a departure; null: the booking has no date. */
  from: string | null;
  /** Null: it stays where it is. */
  to: DepartureKey | null;
}

/**
 * Locks the departures of a change until `trx` ends, and reads the facts.
 * @throws DepartureBusyError after two seconds (409)
 */
export async function lockAndReadFacts(
  trx: Trx,
  tenant: Tenant,
  { from, to }: Move,
): Promise<DepartureFacts> {
  return readChangeFacts(trx, tenant, await lockDeparturesOfChange(trx, from, to));
}

/**
 * Decides a change by its facts. A tenant that does not see the tour learns nothing about its dates, so it gets TourNotFoundError
 * instead of DepartureGoneError, which has alternatives.
 * @throws errors of `decide`
 */
export async function decideForTenant<T>(
  trx: Trx,
  tenant: Tenant,
  tourId: string,
  decide: () => T,
): Promise<T> {
  try {
    return decide();
  } catch (refusal) {
    if (refusal instanceof DepartureGoneError) await getVisibleTour(trx, tenant, tourId);
    throw refusal;
  }
}

/** Seats of one departure before and after the change. */
export interface SeatsOfChange {
  /** 0 on a departure that the hold or booking moves to. */
  before: number;
  after: number;
  /** True: the tenant's share does not limit the seats. */
  paid: boolean;
}

/**
 * Checks the seats that a change adds, in the order of a new sale. A change that adds none is allowed on a closed or cancelled
 * departure.
 * @throws TourNotFoundError (404), DepartureGoneError, DepartureCancelledError, InsufficientSeatsError, HoldLimitReachedError (409)
 */
export function assertSeatsOfChange(
  facts: DepartureFacts,
  tenant: Tenant,
  departure: Departure,
  { before, after, paid }: SeatsOfChange,
): void {
  if (after <= before) return;
  assertVisible(facts, { tenant }, departure);
  assertFree({ ...departure, seatsTaken: departure.seatsTaken - before }, after);
  if (!paid) assertWithinShare(facts, tenant, departure, after - before);
}
