import type { Departure } from '../../departures/departure';
import { assertFree, assertOpen } from '../../departures/check-seats';
import type { Category } from '../../pricing/category';
import { type KeptParty, presentAndLost, renewedAndAdded } from '../../pricing/kept-categories';
import { type Party, seatsOf, unitsOf } from '../../pricing/party';
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
  /** True: the booking is paid, so the tenant's share of the departure does not limit its seats. */
  paid: boolean;
}

/**
 * Returns the categories of a hold or booking after a change. On its own departure it keeps those of its units, with the present ones for
 * others. On another departure of its tour it gets the present ones, and keeps those of its units that the tour has lost. On another tour it
 * gets those of this tour.
 * @param to the departure after the change. Undefined: there is none
 */
export function categoriesOfChange(
  sale: KeptParty & { departureId: string | null; tour: { id: string } },
  to: Departure | undefined,
): readonly Category[] {
  if (to === undefined) return sale.categories;
  const { id, tour } = to;
  if (id === sale.departureId) return renewedAndAdded(sale, tour.categories);
  return tour.id === sale.tour.id ? presentAndLost(sale, tour.categories) : tour.categories;
}

/**
 * Returns whether a change takes more units of a category, or all its units from another departure. Only such a change needs an open
 * departure.
 */
export function takesUnits({ before, after }: Pick<PartyOfChange, 'before' | 'after'>): boolean {
  return before === null || Object.keys(after).some((code) => unitsOf(after, code) > unitsOf(before, code));
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
  { before, after, categories, paid }: PartyOfChange,
): void {
  if (!takesUnits({ before, after })) return;
  assertVisible(facts, tenant, departure);
  const [had, has] = [before ? seatsOf(before, categories) : 0, seatsOf(after, categories)];
  assertOpen(departure, has);
  if (has <= had) return;
  assertFree({ ...departure, seatsTaken: departure.seatsTaken - had }, has);
  if (!paid) assertWithinShare(facts, tenant, departure, has - had);
}
