import { randomUUID } from 'node:crypto';
import type { TourRef } from '../../catalog/tour';
import { assertFree, withoutClosing } from '../../departures/check-seats';
import type { DepartureChoice } from '../../departures/choose-departure';
import { type Departure, seatsAvailable } from '../../departures/departure';
import { OctoUuidTakenError } from '../../holds/hold.errors';
import { holdEnd } from '../../holds/hold-length';
import { type NewOctoDetails, octoColumns, type OctoDetails } from '../../holds/octo-booking';
import type { SeatHold } from '../../holds/seat-hold';
import { columnsOfHold } from '../../holds/seat-hold.repository';
import type { Category } from '../../parties/category';
import type { RequestedParty } from '../../parties/party-rules';
import {
  assertWantedParty,
  partyOfRequest,
  type WantedParty,
  wantedSeats,
} from '../../parties/requested-party';
import type { Actor } from '../../tenants/actor';
import type { Tenant } from '../../tenants/tenant';
import { type Decided, dateOfDeparture } from '../decided';
import { add, type HeldSeats, type SaleFacts, viewKey } from '../read/facts';
import { takeSeats } from '../rules/counted-seats';
import { assertVisible, existingDeparture, quoteDeparture } from '../rules/departure-rules';
import { assertMoreHolds, assertMoreTrips, assertWithinShare } from '../rules/tenant-limits';
import type { SeatChange, Seller } from '../seat-change';
import type { PartialCustomer } from '../../customers/customer';

export interface HoldRequest {
  departureDate: string;
  /** HH:MM. Undefined: not named. */
  departureTime?: string;
  party: RequestedParty;
  /** At most the tenant's maximum (assertHoldMinutes). Undefined: the tenant's default. */
  holdMinutes: number | undefined;
  externalRef: string | null;
  customer: PartialCustomer;
  octo?: NewOctoDetails;
  /** True: the desk places it, and the closing and the limits of DeskTerms do not bind. By default false. */
  byDesk?: boolean;
  /** Null: unknown. */
  by: Actor | null;
}

/** A tour that the tenant sees, with the categories that its request may name. */
export type TourToSell = TourRef & { categories: readonly Category[] };

/** A wanted hold: the party and its seats are by the categories that the tenant saw. The decision counts the seats by the present ones. */
interface WantedHold extends Omit<HoldRequest, 'party' | 'holdMinutes'>, DepartureChoice, WantedParty {
  tenant: Tenant;
  tour: TourRef;
  holdMinutes: number;
  byDesk: boolean;
}

/**
 * Builds the placing of a hold: it reserves the seats for some minutes at the tenant's price.
 * @param tour a tour that the tenant sees
 * @param choice the departure that the request names
 * @throws InvalidInputError for a party of a wrong size (400); the decision the errors of decideHold
 */
export function placeHold(
  seller: Seller<SeatHold>,
  { id, slug, categories }: TourToSell,
  { departureId, times }: DepartureChoice,
  request: HoldRequest,
): SeatChange<SeatHold> {
  const { tenant } = seller;
  const wanted: WantedHold = {
    ...request,
    ...partyOfRequest(request.party, categories),
    tenant,
    tour: { id, slug },
    departureId,
    times,
    holdMinutes: request.holdMinutes ?? tenant.holdDefaultMinutes,
    byDesk: request.byDesk ?? false,
  };
  return {
    ...seller,
    locks: { departureIds: departureId === null ? [] : [departureId], octoUuid: request.octo?.uuid },
    reads: { tourId: id, counted: wanted.byDesk ? undefined : 'hold' },
    isAlone: false,
    decide: (facts) => decideHold(facts, wanted),
  };
}

/**
 * Decides one hold by the facts, which count the sales that were granted before it in the transaction. The departure must have the free
 * seats, and the hold must not exceed the tenant's number of holds or its share of the departure, unless the desk places it. Locks the tenant's price.
 * @throws InvalidInputError if the request must choose among several departures, or for a party that the tour does not sell (400), TourNotFoundError
 *   (404), OctoUuidTakenError, DepartureGoneError, DepartureCancelledError, InsufficientSeatsError, HoldLimitReachedError (409). After an
 *   error, the facts are unchanged.
 */
function decideHold(facts: SaleFacts, wanted: WantedHold): Decided<SeatHold> {
  const { tenant, externalRef, octo, byDesk } = wanted;
  if (octo && facts.takenUuids.has(viewKey(tenant.id, octo.uuid))) throw new OctoUuidTakenError();
  const departure = existingDeparture(facts, wanted);
  const { categories } = departure.tour;
  const seats = wantedSeats(wanted, categories);
  assertVisible(facts, tenant, departure);
  const price = quoteDeparture(facts, tenant, departure, seats);
  assertFree(byDesk ? withoutClosing(departure) : departure, seats);
  const begun = facts.trips.begunBy(departure.id, tenant.sandbox);
  if (!byDesk) {
    assertMoreHolds(facts, tenant);
    assertMoreTrips(facts, tenant, begun);
    assertWithinShare(facts, tenant, departure, seats);
  }
  assertWantedParty(wanted, categories, price.prices);

  takeSeats(facts, tenant, departure, { more: seats, limited: byDesk ? 0 : seats });
  if (!byDesk) {
    add(facts.liveHolds, tenant.id, 1);
    add(facts.holdTrips, tenant.id, begun);
  }
  if (octo) facts.takenUuids.add(viewKey(tenant.id, octo.uuid));
  const held: HeldSeats = {
    id: randomUUID(),
    tenantId: tenant.id,
    departureId: departure.id,
    ...price,
    party: wanted.party,
    seats,
    externalRef,
    byDesk,
    octo: octo ? toOctoDetails(octo, facts.at) : null,
    status: 'active',
    tiers: departure.tiers,
  };
  facts.holds.push(held);
  const expiresAt = holdEnd(facts.at, wanted, departure);
  const hold = toSeatHold(wanted, departure, held, { placedAt: facts.at, expiresAt });
  const columns = {
    ...columnsOfHold(hold),
    sandbox: tenant.sandbox,
    created_at: facts.at,
    expires_at: expiresAt,
    ended_at: null,
  };
  return {
    result: hold,
    newHold: { columns, octo: octo ? octoRow(hold, octo, facts.at) : undefined, held },
    changed: [dateOfDeparture(departure)],
  };
}

function toSeatHold(
  { tenant, tour, party, holdMinutes, customer, by }: WantedHold,
  departure: Departure,
  held: HeldSeats,
  { placedAt, expiresAt }: { placedAt: string; expiresAt: string },
): SeatHold {
  // Names each field: a rest pattern took 25 of the 590 microseconds of a hold.
  return {
    id: held.id,
    departureId: held.departureId,
    prices: held.prices,
    platformPrices: held.platformPrices,
    currency: held.currency,
    currencyDigits: held.currencyDigits,
    priceBreakdown: held.priceBreakdown,
    tiers: held.tiers,
    party,
    seats: held.seats,
    categories: held.categories,
    externalRef: held.externalRef,
    byDesk: held.byDesk,
    octo: held.octo,
    status: held.status,
    tenant: { id: tenant.id, slug: tenant.slug },
    tour,
    departureDate: departure.departureDate,
    departureTime: departure.startTime,
    holdMinutes,
    expiresAt: new Date(expiresAt),
    customer,
    createdAt: new Date(placedAt),
    placedBy: by,
    endedAt: null,
    endedBy: null,
    anonymizedAt: null,
    seatsAvailable: seatsAvailable(departure),
  };
}

function octoRow(hold: SeatHold, { uuid, fingerprint, ...details }: NewOctoDetails, at: string) {
  return {
    tenant_id: hold.tenant.id,
    uuid,
    hold_id: hold.id,
    departure_date: hold.departureDate,
    request_digest: `\\x${fingerprint.toString('hex')}`,
    ...octoColumns({ ...details, cancelReason: null }, at),
  };
}

function toOctoDetails({ fingerprint: _, ...octo }: NewOctoDetails, at: string): OctoDetails {
  return { ...octo, cancelReason: null, updatedAt: at };
}
