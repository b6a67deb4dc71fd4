import type { Departure } from '../../departures/departure';
import { assertFree, assertOpen } from '../../departures/check-seats';
import type { Category } from '../../parties/category';
import { takesUnits } from '../../parties/kept-categories';
import { type Party, seatsOf } from '../../parties/party-rules';
import type { Tenant } from '../../tenants/tenant';
import { assertWithinShare } from './tenant-limits';
import { assertVisible } from './departure-rules';
import type { DepartureFacts } from '../read/facts';

/** The party on one departure before and after the change. */
export interface PartyOfChange {
  /** Null: the hold or booking comes from another departure. */
  before: Party | null;
  after: Party;
  /** The categories of the hold or booking after the change. */
  categories: readonly Category[];
  /** True: the tenant's share of the departure limits the seats. False: the booking is paid, or the desk or an import made it. */
  isLimited: boolean;
}

/**
 * Checks the party after a change, in the order in which a new sale is checked. If no category becomes larger, the change is allowed on any
 * departure, also on a closed or cancelled one. If the number of seats does not become larger, no free seat is needed.
 * @param departure without the seats that the hold or booking has
 * @throws TourNotFoundError (404), DepartureGoneError, DepartureCancelledError, InsufficientSeatsError, HoldLimitReachedError (409)
 */
export function assertPartyOfChange(
  facts: DepartureFacts,
  tenant: Tenant,
  departure: Departure,
  { before, after, categories, isLimited }: PartyOfChange,
): void {
  if (!takesUnits({ before, after })) return;
  assertVisible(facts, tenant, departure);
  const [had, has] = [before ? seatsOf(before, categories) : 0, seatsOf(after, categories)];
  assertOpen(departure, has);
  if (has <= had) return;
  assertFree(departure, has);
  if (isLimited) assertWithinShare(facts, tenant, departure, has - had);
}
