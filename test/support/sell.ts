import type { BookingLead } from '../../services/api/bookings/booking-lead';
import { getVisibleTour } from '../../services/api/catalog/find-tour';
import type { SeatHold } from '../../services/api/holds/seat-hold';
import { type BookingRequest, prepareBooking } from '../../services/api/bookings/create-booking';
import { type HoldRequest, prepareHold } from '../../services/api/holds/place-hold';
import { writeSale } from '../../services/api/sales/grant-sales';
import type { Tenant } from '../../services/api/tenants/tenant';
import type { Trx } from '../../services/platform/database';

/** Names the tour of a sale by UUID or slug. */
interface TourOfSale {
  tour: string;
}

/** Places a hold in the caller's transaction, as the API does without group commit. */
export async function placeHold(
  trx: Trx,
  tenant: Tenant,
  request: HoldRequest & TourOfSale,
): Promise<SeatHold> {
  const tour = await getVisibleTour(trx, tenant, request.tour);
  return (await writeSale(trx, prepareHold(tenant, tour, request))) as SeatHold;
}

/** Creates a booking in the caller's transaction, as the API does without group commit. */
export async function createBooking(
  trx: Trx,
  tenant: Tenant,
  request: BookingRequest & TourOfSale,
): Promise<BookingLead> {
  const tour = await getVisibleTour(trx, tenant, request.tour);
  return (await writeSale(trx, await prepareBooking(trx, tenant, tour, request))) as BookingLead;
}
