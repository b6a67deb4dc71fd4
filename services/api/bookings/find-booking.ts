import type { Db } from '../../platform/database';
import type { TenantScope } from '../tenants/tenant-scope';
import { BookingNotFoundError } from './booking.errors';
import type { BookingLead } from './booking-lead';
import { isBookingRef } from './booking-ref';
import { findLead, findLeads, type LeadFilter } from './booking-lead.repository';

/**
 * @param bookingRef any text; one of another form is not a booking
 * @throws BookingNotFoundError unknown and another tenant's alike (404)
 */
export async function getBooking(db: Db, scope: TenantScope, bookingRef: string): Promise<BookingLead> {
  const lead = isBookingRef(bookingRef) ? await findLead(db, scope, bookingRef) : undefined;
  if (!lead) throw new BookingNotFoundError();
  return lead;
}

/** Newest first; `lastId` starts the next page, null ends the list. */
export async function listBookings(
  db: Db,
  scope: TenantScope,
  filter: LeadFilter,
): Promise<{ items: BookingLead[]; lastId: number | null }> {
  const leads = await findLeads(db, scope, { ...filter, limit: filter.limit + 1 });
  const items = leads.slice(0, filter.limit);
  return { items, lastId: leads.length > filter.limit ? items.at(-1)!.id : null };
}
