import type { Db } from '../../platform/database';
import { InvalidInputError } from '../../platform/errors';
import type { Customer } from '../bookings/booking-lead';
import type { TourRef } from '../catalog/tour';
import { assertHoldMinutes } from '../holds/change-hold';
import { getHold } from '../holds/find-hold';
import type { PartialCustomer } from '../holds/seat-hold';
import type { Actor } from '../tenants/actor';
import type { PaymentMethod, Tenant } from '../tenants/tenant';
import type { BookingSale, HoldSale } from './sale';

export interface HoldRequest {
  departureDate: string;
  quantity: number;
  /** Undefined: the tenant's default. */
  holdMinutes: number | undefined;
  externalRef: string | null;
  customer: PartialCustomer;
  /** Null: unknown. */
  by: Actor | null;
}

export interface BookingRequest {
  /** Null: the date of the hold; without a hold, no seats are reserved. */
  departureDate: string | null;
  adults: number;
  customer: Customer;
  /** Null: the tenant's default. */
  paymentMethod: PaymentMethod | null;
  holdId: string | null;
  /** The total that the customer saw, in major units. */
  expectedTotal: number | null;
  externalRef: string | null;
  notes: string | null;
  /** Null: unknown. */
  by: Actor | null;
}

/**
 * Checks what precedes the Idempotency-Key in the order of judgement, and locks nothing.
 * @param tour a tour that the tenant sees
 * @throws InvalidInputError (400)
 */
export function prepareHold(tenant: Tenant, { id, slug }: TourRef, request: HoldRequest): HoldSale {
  const { departureDate, quantity, externalRef, customer, by } = request;
  const holdMinutes = assertHoldMinutes(tenant, request.holdMinutes ?? tenant.holdDefaultMinutes);
  return {
    kind: 'hold',
    ...{ tenant, departureDate, holdMinutes, externalRef, customer, by },
    ...{ tour: { id, slug }, party: { adult: quantity }, principal: null, claim: null },
  };
}

/**
 * Checks like prepareHold. A named hold must match the tour and the date of the request.
 * @throws HoldNotFoundError (404), InvalidInputError (400)
 */
export async function prepareBooking(
  db: Db,
  tenant: Tenant,
  { id, slug }: TourRef,
  request: BookingRequest,
): Promise<BookingSale> {
  const { adults, customer, expectedTotal, externalRef, notes, by } = request;
  return {
    kind: 'booking',
    ...{ tenant, customer, expectedTotal, externalRef, notes, by },
    ...{ tour: { id, slug }, party: { adult: adults }, principal: null, claim: null },
    departureDate: await dateOfRequest(db, tenant, id, request),
    namesDate: request.departureDate !== null,
    holdId: request.holdId?.toLowerCase() ?? null,
    paymentMethod: request.paymentMethod ?? tenant.paymentMethod,
  };
}

async function dateOfRequest(
  db: Db,
  tenant: Tenant,
  tourId: string,
  { holdId, departureDate }: BookingRequest,
): Promise<string | null> {
  if (holdId === null) return departureDate;
  const hold = await getHold(db, tenant.id, holdId);
  if (hold.tour.id !== tourId) throw new InvalidInputError('body', 'tour_id', 'must be the tour of the hold');
  if (departureDate !== null && departureDate !== hold.departureDate)
    throw new InvalidInputError('body', 'departure_date', "must be the hold's date, or left out");
  return hold.departureDate;
}
