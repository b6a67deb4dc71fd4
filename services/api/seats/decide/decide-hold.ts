import type { Departure } from '../../departures/departure';
import { assertFree } from '../../departures/check-seats';
import { OctoUuidTakenError } from '../../holds/hold.errors';
import type { NewOctoDetails, OctoDetails } from '../../holds/octo-booking';
import type { SeatHold } from '../../holds/seat-hold';
import { assertPriced, seatsOf } from '../../pricing/party';
import { type Decided, dateOfDeparture } from '../decided';
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

/**
 * Decides one hold by the facts, which count the sales that were granted before it in the transaction. The departure must have the free
 * seats, and the hold must not exceed the tenant's number of holds or its share of the departure. Locks the tenant's price.
 * @param id the id of the new hold
 * @throws InvalidInputError if the request must choose among several departures, or for a category without a price (400), TourNotFoundError
 *   (404), OctoUuidTakenError, DepartureGoneError, DepartureCancelledError, InsufficientSeatsError, HoldLimitReachedError (409). After an
 *   error, the facts are unchanged.
 */
export function decideHold(facts: SaleFacts, sale: HoldSale, id: string): Decided<SeatHold> {
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
    octo: octo && toOctoDetails(octo, facts.at),
    status: 'active',
  };
  facts.holds.push(held);
  return {
    result: toSeatHold(sale, departure, held, facts.at),
    newHold: { sale, departureDate: departure.departureDate, held },
    changed: [dateOfDeparture(departure)],
  };
}

const MINUTE_MS = 60_000;

function toSeatHold(sale: HoldSale, departure: Departure, held: HeldSeats, at: string): SeatHold {
  const { tenant, tour, holdMinutes, customer, by } = sale;
  const createdAt = new Date(at);
  return {
    id: held.id,
    tour,
    departureId: held.departureId,
    quantity: held.quantity,
    children: held.children,
    holdMinutes,
    prices: held.prices,
    currency: held.currency,
    currencyDigits: held.currencyDigits,
    priceBreakdown: held.priceBreakdown,
    tenant: { id: tenant.id, slug: tenant.slug },
    departureDate: departure.departureDate,
    departureTime: departure.startTime,
    status: 'active',
    expiresAt: new Date(createdAt.getTime() + holdMinutes * MINUTE_MS),
    externalRef: held.externalRef,
    customer,
    seatsAvailable: departure.seatsTotal - departure.seatsTaken,
    octo: held.octo,
    createdAt,
    placedBy: by,
    endedAt: null,
    endedBy: null,
    anonymizedAt: null,
  };
}

function toOctoDetails({ fingerprint: _, ...octo }: NewOctoDetails, at: string): OctoDetails {
  return { ...octo, cancelReason: null, updatedAt: at };
}
