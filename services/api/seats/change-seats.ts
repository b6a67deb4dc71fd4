import { getVisibleTour } from '../catalog/find-tour';
import type { Departure } from '../departures/departure';
import { DepartureTimeMissingError } from '../departures/choose-departure';
import { DepartureGoneError } from '../departures/departure.errors';
import { assertFree, assertOpen, lockDeparturesOfChange } from '../departures/reserve-seats';
import type { Trx } from '../../platform/database/database';
import { type Party, seatsOf } from '../pricing/party';
import { CATEGORIES } from '../pricing/price-categories';
import type { Tenant } from '../tenants/tenant';
import { readChangeFacts } from './read/read-sale-facts';
import { assertVisible, type DepartureFacts } from './read/sale-facts';
import { assertWithinShare } from './decide/tenant-limits';

/**
 * Locks the departures of a change until `trx` ends, and reads the facts.
 * @param tourId the tour after the change
 * @param departureIds the present departure of the hold or booking, and the departure to which it moves; null: there is no such departure
 * @throws DepartureBusyError after two seconds (409)
 */
export async function lockAndReadFacts(
  trx: Trx,
  tenant: Tenant,
  tourId: string,
  departureIds: (string | null)[],
): Promise<DepartureFacts> {
  return readChangeFacts(trx, tenant, tourId, await lockDeparturesOfChange(trx, departureIds));
}

/**
 * Decides a change by its facts. If the change is refused and the tenant does not see the tour, throws TourNotFoundError instead of the
 * refusal. Some refusals would show data of the tour: DepartureGoneError has alternative dates, and DepartureTimeMissingError lists the
 * start times.
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
    const tellsDates = refusal instanceof DepartureGoneError || refusal instanceof DepartureTimeMissingError;
    if (tellsDates) await getVisibleTour(trx, tenant, tourId);
    throw refusal;
  }
}

/** The party on one departure before and after the change. */
export interface PartyOfChange {
  /** Null: the hold or booking comes from another departure. */
  before: Party | null;
  after: Party;
  /** True: the booking is paid, so the tenant's share of the departure does not limit its seats. */
  paid: boolean;
}

/**
 * Checks the party after a change, in the order in which a new sale is checked. If no category becomes larger, the change is allowed on any
 * departure, also on a closed or cancelled one. If the number of seats does not become larger, no free seat is needed.
 * @throws TourNotFoundError (404), DepartureGoneError, DepartureCancelledError, InsufficientSeatsError, HoldLimitReachedError (409)
 */
export function assertPartyOfChange(
  facts: DepartureFacts,
  tenant: Tenant,
  departure: Departure,
  { before, after, paid }: PartyOfChange,
): void {
  if (before && CATEGORIES.every((category) => after[category] <= before[category])) return;
  assertVisible(facts, tenant, departure);
  const [had, has] = [before ? seatsOf(before) : 0, seatsOf(after)];
  assertOpen(departure, has);
  if (has <= had) return;
  assertFree({ ...departure, seatsTaken: departure.seatsTaken - had }, has);
  if (!paid) assertWithinShare(facts, tenant, departure, has - had);
}
