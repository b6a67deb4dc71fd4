import type { Db } from '../../platform/database';
import { InvalidInputError } from '../../platform/errors';
import type { BookingLead, BookingSource, Traveller } from '../bookings/booking-lead';
import type { Tour, TourRef } from '../catalog/tour';
import { SaleMovedError } from '../departures/departure.errors';
import { type DepartureIds, findDepartureId } from '../departures/find-departures';
import { findOnlyLiveHold, getHold } from '../holds/find-hold';
import { assertHoldMinutes } from '../holds/hold-length';
import type { NewOctoDetails } from '../holds/octo-booking';
import type { PartialCustomer, SeatHold } from '../holds/seat-hold';
import type { ReplayedResponse } from '../idempotency/run-idempotent';
import type { Party } from '../pricing/party';
import type { Actor } from '../tenants/actor';
import type { PaymentMethod, Tenant } from '../tenants/tenant';
import type { BookingSale, HoldSale, Seller } from './sale';
import type { SaleQueue } from './sale-queue';

export interface HoldRequest {
  departureDate: string;
  party: Party;
  /** Undefined: the tenant's default. */
  holdMinutes: number | undefined;
  externalRef: string | null;
  customer: PartialCustomer;
  octo?: NewOctoDetails;
  /** Null: unknown. */
  by: Actor | null;
}

/**
 * Builds the sale of a hold. Locks nothing.
 * @param tour a tour that the tenant sees
 * @param departureId null: the tour has no departure on the date
 * @throws InvalidInputError (400)
 */
export function prepareHold(
  seller: Seller<SeatHold>,
  { id, slug }: TourRef,
  departureId: string | null,
  request: HoldRequest,
): HoldSale {
  const { tenant, principal, claim } = seller;
  return {
    ...request,
    kind: 'hold',
    tenant,
    principal,
    claim,
    tour: { id, slug },
    departureId,
    holdMinutes: assertHoldMinutes(tenant, request.holdMinutes ?? tenant.holdDefaultMinutes),
    octo: request.octo ?? null,
  };
}

export interface BookingRequest {
  /** Null: the date of the hold; without a hold, no seats are reserved. */
  departureDate: string | null;
  party: Party;
  /** Null: not named. */
  travellers: Traveller[] | null;
  customer: PartialCustomer;
  /** Null: the tenant's default. */
  paymentMethod: PaymentMethod | null;
  /** In lower case. */
  holdId: string | null;
  /** The total that the customer saw, in major units. */
  expectedTotal: number | null;
  externalRef: string | null;
  notes: string | null;
  /** By default tenant_api. */
  source?: BookingSource;
  /** Null: unknown. */
  by: Actor | null;
}

/** The part of SalesContext that sellBooking uses. */
interface SaleServices {
  db: Db;
  departureIds: DepartureIds;
  sales: SaleQueue;
}

/**
 * Sells a booking. If its hold moves to another departure during the wait for the lock, finds the departure again and repeats the sale once.
 * @throws errors of prepareBooking and of SaleQueue.sell
 */
export async function sellBooking(
  { db, departureIds, sales }: SaleServices,
  seller: Seller<BookingLead>,
  tour: Tour,
  request: BookingRequest,
): Promise<BookingLead | ReplayedResponse> {
  const findDeparture = (date: string) => departureIds.find(tour, date);
  const attempt = async () => sales.sell(await prepareBooking(db, seller, tour, request, findDeparture));
  return attempt().catch((error: unknown) => {
    if (error instanceof SaleMovedError) return attempt();
    throw error;
  });
}

/**
 * Builds the sale of a booking. Locks nothing. A named hold must match the tour and the date of the request.
 * @param findDeparture returns the departure of the tour on a date, YYYY-MM-DD; null: there is none
 * @throws HoldNotFoundError (404), InvalidInputError (400)
 */
export async function prepareBooking(
  db: Db,
  { tenant, principal, claim }: Seller<BookingLead>,
  { id, slug }: TourRef,
  request: BookingRequest,
  findDeparture = (date: string) => findDepartureId(db, id, date),
): Promise<BookingSale> {
  const hold = await holdOfRequest(db, tenant, id, request);
  const date = request.departureDate;
  const departureOfDate = hold === null && date !== null ? await findDeparture(date) : null;
  return {
    ...request,
    kind: 'booking',
    tenant,
    principal,
    claim,
    tour: { id, slug },
    departureId: hold ? hold.departureId : departureOfDate,
    departureDate: hold ? hold.departureDate : date,
    namesDate: date !== null,
    paymentMethod: request.paymentMethod ?? tenant.paymentMethod,
    source: request.source ?? 'tenant_api',
  };
}

/**
 * Returns the named hold, or for a request without a date the only live hold with its reference. The reference is read again under the
 * lock, because a repeat finds that hold consumed.
 */
async function holdOfRequest(
  db: Db,
  tenant: Tenant,
  tourId: string,
  { holdId, departureDate, externalRef }: BookingRequest,
): Promise<SeatHold | null> {
  if (holdId === null) {
    const byReference = departureDate === null && externalRef;
    return byReference ? findOnlyLiveHold(db, tenant.id, tourId, externalRef) : null;
  }
  const hold = await getHold(db, tenant.id, holdId);
  if (hold.tour.id !== tourId) throw new InvalidInputError('body', 'tour_id', 'must be the tour of the hold');
  if (departureDate !== null && departureDate !== hold.departureDate)
    throw new InvalidInputError('body', 'departure_date', "must be the hold's date, or left out");
  return hold;
}
