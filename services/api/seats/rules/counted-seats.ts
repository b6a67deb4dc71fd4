import { type LockedDeparture, withoutSeats } from '../../departures/departure';
import type { Tenant } from '../../tenants/tenant';
import { add, type DepartureFacts, viewKey } from '../read/facts';
import { lockedDeparture } from './departure-rules';

// The free seats of locked departures, before and after a decision. Trips counts what the resources leave: seats that a sale frees on a boat
// that is closed, or on another trip, cannot be sold again.

/** The seats of a hold or booking. */
interface Seats {
  /** Null: a booking without a date, which has no seats. */
  departureId: string | null;
  seats: number;
}

/** The seats that a granted sale adds to a departure. */
interface TakenSeats {
  /** More than before: a consumed hold had some of them. */
  more: number;
  /** How many more of them the share of the tenant counts. */
  limited: number;
}

/** Counts the seats of a granted sale in the facts, for the decisions that follow in the transaction. */
export function takeSeats(
  facts: DepartureFacts,
  tenant: Tenant,
  departure: LockedDeparture,
  { more, limited }: TakenSeats,
): void {
  addSeats(facts, tenant, { departureId: departure.id, seats: more });
  add(facts.unpaidSeats, viewKey(tenant.id, departure.id), limited);
}

/**
 * Counts in the facts that a sale has other seats, so that its answer shows the free seats after the change.
 * @param before its seats, if it stands. Null: it had none
 * @param after null: it has none any more
 * @rule an answer has the free seats that a read has after it: test/resources/seats-after-changes.long.test.ts
 */
export function replaceSeats(
  facts: DepartureFacts,
  tenant: Tenant,
  before: Seats | null,
  after: Seats | null,
): void {
  if (before) addSeats(facts, tenant, { ...before, seats: -before.seats });
  if (after) addSeats(facts, tenant, after);
}

/** Adds seats to a departure and its trips, and sets what the resources then leave on each locked departure. */
function addSeats(facts: DepartureFacts, tenant: Tenant, { departureId, seats }: Seats): void {
  const departure = lockedDeparture(facts, tenant, departureId);
  if (!departure) return;
  const { trips, departures } = facts;
  departure.seatsTaken += seats;
  // A cancelled departure is on no trip.
  if (departure.resourceIds.length === 0 || departure.cancelled) return;
  trips.take(departure.id, tenant.sandbox, seats);
  for (const other of departures.values()) {
    if (other.sandbox !== tenant.sandbox || !trips.haveAll(other.resourceIds)) continue;
    const { seatsOfResources, scarceResource } = trips.leftFor(other.id, tenant.sandbox);
    other.seatsOfResources = seatsOfResources;
    other.scarceResource = scarceResource;
  }
}

/**
 * Returns the departure as the change of a sale finds it: without the seats that the sale has, wherever it has them. A sale that stays on
 * the departure with no more seats keeps them, also if a unit of the resources is closed.
 * @param sale null: a new sale
 * @param wanted its seats after the change
 */
export function withoutSale(
  { trips }: DepartureFacts,
  departure: LockedDeparture,
  sale: Seats | null,
  wanted: number,
): LockedDeparture {
  if (!sale || sale.departureId === null) return departure;
  const own = sale.departureId === departure.id ? sale.seats : 0;
  const without = withoutSeats(departure, own);
  if (wanted <= own || !trips.haveAll(departure.resourceIds)) return without;
  const { departureId, seats } = sale;
  return { ...without, ...trips.leftFor(departure.id, departure.sandbox, { departureId, seats }) };
}
