import type { Db } from '../../platform/database';
import { BookingNotFoundError } from './booking.errors';
import type { BookingLead } from './booking-lead';
import { findLead, findLeads, type LeadFilter } from './booking-lead.repository';

const BOOKING_REF = /^[A-Z0-9]{2,10}-\d{1,15}$/;

/**
 * @param bookingRef any text; one of another form is not a booking
 * @param tenantId undefined in the operator's terminal alone
 * @throws BookingNotFoundError unknown and another tenant's alike (404)
 */
export async function getBooking(db: Db, bookingRef: string, tenantId?: string): Promise<BookingLead> {
  const lead = BOOKING_REF.test(bookingRef) ? await findLead(db, { tenantId, bookingRef }) : undefined;
  if (!lead) throw new BookingNotFoundError();
  return lead;
}

/** Newest first; `lastId` starts the next page, null ends the list. */
export async function listBookings(
  db: Db,
  filter: LeadFilter,
): Promise<{ items: BookingLead[]; lastId: number | null }> {
  const leads = await findLeads(db, { ...filter, limit: filter.limit + 1 });
  const items = leads.slice(0, filter.limit);
  return { items, lastId: leads.length > filter.limit ? items.at(-1)!.id : null };
}
