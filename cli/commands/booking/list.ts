import type { BookingStatus } from '../../../services/api/bookings/booking-lead';
import { listBookings } from '../../../services/api/bookings/find-booking';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import { ANY_TENANT } from '../../../services/api/tenants/tenant-scope';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { table } from '../../table';
import { toBookingDocument } from './booking-document';

interface BookingListOptions {
  tenant?: string;
  status?: BookingStatus;
  externalRef?: string;
  since?: Date;
  limit?: number;
}

const COLUMNS = ['booking', 'status', 'tour', 'date', 'adults', 'total', 'deposit', 'created', 'reference'];

export async function listBookingsCommand(
  { db, output }: Context,
  { tenant, status, externalRef, since, limit = DEFAULT_LIMIT }: BookingListOptions,
): Promise<void> {
  const scope = tenant === undefined ? ANY_TENANT : (await findTenant(db, tenant)).id;
  const { items: leads } = await listBookings(db, scope, { status, externalRef, since, limit });
  const items = leads.map(toBookingDocument);
  output.answer({ items }, () => {
    const rows = items.map((lead) => [
      lead.booking_ref,
      lead.status,
      lead.tour,
      lead.departure_date,
      lead.adults,
      `${lead.total_price} ${lead.currency}`,
      lead.deposit_total,
      lead.created_at,
      lead.external_ref,
    ]);
    return table(COLUMNS, rows, 'No bookings');
  });
}
