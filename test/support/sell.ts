import type { BookingLead } from '../../services/api/bookings/booking-lead';
import { getVisibleTour } from '../../services/api/catalog/find-tour';
import type { SeatHold } from '../../services/api/holds/seat-hold';
import { findDeparture } from '../../services/api/departures/find-departures';
import {
  type BookingRequest,
  createBooking as createBookingChange,
} from '../../services/api/seats/changes/create-booking';
import {
  type HoldRequest,
  placeHold as placeHoldChange,
  type TourToSell,
} from '../../services/api/seats/changes/place-hold';
import { type SeatChange, sellerWithoutKey } from '../../services/api/seats/seat-change';
import { performInTransaction } from '../../services/api/seats/perform';
import type { Tenant } from '../../services/api/tenants/tenant';
import type { Db, Trx } from '../../services/platform/database/database';
import { unrecorded } from './change';
import { CUSTOMER } from './website';

/** Names the tour of a sale by UUID or slug. */
interface TourOfSale {
  tour: string;
}

/** Returns the request of a hold of one seat, without a customer. */
export function holdRequest(departureDate: string, more: Partial<HoldRequest> = {}): HoldRequest {
  return {
    departureDate,
    party: { party: { adult: 1 } },
    holdMinutes: undefined,
    externalRef: null,
    customer: { name: null, phone: null, email: null },
    by: null,
    ...more,
  };
}

/** Returns the request of a booking of one adult, without a date. */
export function bookingRequest(more: Partial<BookingRequest> = {}): BookingRequest {
  return {
    departureDate: null,
    party: { party: { adult: 1 } },
    travellers: null,
    customer: CUSTOMER,
    paymentMethod: null,
    holdId: null,
    expectedTotal: null,
    externalRef: null,
    notes: null,
    by: null,
    ...more,
  };
}

/** Places a hold in the caller's transaction, as the API does without group commit. */
export async function placeHold(
  trx: Trx,
  tenant: Tenant,
  request: HoldRequest & TourOfSale,
): Promise<SeatHold> {
  const tour = await getVisibleTour(trx, tenant, request.tour);
  const sale = await holdSaleOf(trx, tenant, tour, request);
  return performInTransaction(unrecorded(trx), sale);
}

/** Creates a booking in the caller's transaction, as the API does without group commit. */
export async function createBooking(
  trx: Trx,
  tenant: Tenant,
  request: BookingRequest & TourOfSale,
): Promise<BookingLead> {
  const tour = await getVisibleTour(trx, tenant, request.tour);
  const sale = await createBookingChange(trx, sellerWithoutKey(tenant), tour, request);
  return performInTransaction(unrecorded(trx), sale);
}

/** Builds the sale of a hold for a tenant, as if no API key asked for it. */
export async function holdSaleOf(
  db: Db,
  tenant: Tenant,
  tour: TourToSell,
  request: HoldRequest,
): Promise<SeatChange<SeatHold>> {
  const departure = await findDeparture(db, { tourId: tour.id, ...request });
  return placeHoldChange(sellerWithoutKey(tenant), tour, departure, request);
}
