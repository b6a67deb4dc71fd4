import type { Departure } from '../../departures/departure';
import { assertFree } from '../../departures/reserve-seats';
import { OctoUuidTakenError } from '../../holds/hold.errors';
import { assertPriced, seatsOf } from '../../pricing/party';
import type { HoldSale } from '../sale';
import {
  add,
  assertVisible,
  existingDeparture,
  type HeldSeats,
  quoteDeparture,
  type SaleFacts,
  takeSeats,
  viewKey,
} from '../read/sale-facts';
import { assertMoreHolds, assertWithinShare } from './tenant-limits';

export interface GrantedHold {
  kind: 'hold';
  sale: HoldSale;
  departure: Departure;
  /** The granted hold. Its status is `converted` if a later booking of the transaction consumes the hold. */
  held: HeldSeats;
  /** Seats of the departure that are free after the hold. */
  seatsAvailable: number;
}

/**
 * Decides one hold by the facts, which count the sales that were granted before it in the transaction. The departure must have the free
 * seats, and the hold must not exceed the tenant's number of holds or its share of the departure. Locks the tenant's price.
 * @param id the id of the new hold
 * @throws InvalidInputError if the request must choose among several departures, or for a category without a price (400), TourNotFoundError
 *   (404), OctoUuidTakenError, DepartureGoneError, DepartureCancelledError, InsufficientSeatsError, HoldLimitReachedError (409). After an
 *   error, the facts are unchanged.
 */
export function decideHold(facts: SaleFacts, sale: HoldSale, id: string): GrantedHold {
  const { tenant, party, externalRef, octo } = sale;
  if (octo && facts.takenUuids.has(viewKey(tenant.id, octo.uuid))) throw new OctoUuidTakenError();
  const quantity = seatsOf(party);
  const departure = existingDeparture(facts, sale);
  assertVisible(facts, tenant, departure);
  const { prices, currency, currencyDigits, priceBreakdown } = quoteDeparture(
    facts,
    tenant,
    departure,
    quantity,
  );
  assertFree(departure, quantity);
  assertMoreHolds(facts, tenant);
  assertWithinShare(facts, tenant, departure, quantity);
  assertPriced(party, prices);

  takeSeats(facts, tenant, departure, quantity);
  add(facts.liveHolds, tenant.id, 1);
  if (octo) facts.takenUuids.add(viewKey(tenant.id, octo.uuid));
  const held: HeldSeats = {
    id,
    tenantId: tenant.id,
    departureId: departure.id,
    prices,
    currency,
    currencyDigits,
    priceBreakdown,
    quantity,
    children: party.child,
    externalRef,
    status: 'active',
  };
  facts.holds.push(held);
  return { kind: 'hold', sale, departure, held, seatsAvailable: departure.seatsTotal - departure.seatsTaken };
}
