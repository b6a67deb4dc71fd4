import type { Db } from '../../platform/database';
import type { TenantScope } from '../tenants/tenant';
import { BookingNotFoundError } from './booking.errors';
import { isBookingRef, type BookingLead } from './booking-lead';
import { findLead, findLeads, type LeadFilter } from './booking-lead.repository';

/**
 * Returns the booking.
 * @param bookingRef any text; a text that is not a booking reference finds no booking
 * @throws BookingNotFoundError for an unknown booking and for another tenant's alike (404)
 */
export async function getBooking(db: Db, scope: TenantScope, bookingRef: string): Promise<BookingLead> {
  const lead = isBookingRef(bookingRef) ? await findLead(db, scope, bookingRef) : undefined;
  if (!lead) throw new BookingNotFoundError();
  return lead;
}

/** Returns one page, newest first; `lastId` starts the next page, null ends the list. */
export async function listBookings(
  db: Db,
  scope: TenantScope,
  filter: LeadFilter,
): Promise<{ items: BookingLead[]; lastId: number | null }> {
  const leads = await findLeads(db, scope, { ...filter, limit: filter.limit + 1 });
  const items = leads.slice(0, filter.limit);
  return { items, lastId: leads.length > filter.limit ? items.at(-1)!.id : null };
}

const PAGE_SIZE = 500;

/** Yields every booking that the filter finds, newest first, reading one page at a time. */
export async function* walkBookings(
  db: Db,
  scope: TenantScope,
  filter: Omit<LeadFilter, 'limit'>,
): AsyncGenerator<BookingLead> {
  let beforeId = filter.beforeId;
  do {
    const { items, lastId } = await listBookings(db, scope, { ...filter, beforeId, limit: PAGE_SIZE });
    yield* items;
    beforeId = lastId ?? undefined;
  } while (beforeId !== undefined);
}
