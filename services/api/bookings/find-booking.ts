import type { Db } from '../../platform/database';
import type { TenantScope } from '../tenants/tenant';
import { BookingNotFoundError } from './booking.errors';
import { isBookingRef, type BookingLead, type LeadPosition } from './booking-lead';
import { findLead, findLeadsOfHolds } from './booking-lead.repository';
import { findLeads, type LeadFilter } from './lead-list.repository';

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

/** Returns the bookings that consumed the holds, in no order. */
export async function bookingsOfHolds(db: Db, holdIds: string[]): Promise<BookingLead[]> {
  return findLeadsOfHolds(db, holdIds);
}

/** Returns one page; `last` starts the next page, null ends the list. See findLeads for the order. */
export async function listBookings(
  db: Db,
  scope: TenantScope,
  filter: LeadFilter,
): Promise<{ items: BookingLead[]; last: LeadPosition | null }> {
  const found = await findLeads(db, scope, { ...filter, limit: filter.limit + 1 });
  const page = found.slice(0, filter.limit);
  const last = found.length > filter.limit ? page.at(-1)!.position : null;
  return { items: page.map(({ lead }) => lead), last };
}

const PAGE_SIZE = 500;

/** Yields every booking that the filter finds, newest first, reading one page at a time. */
export async function* walkBookings(
  db: Db,
  scope: TenantScope,
  filter: Omit<LeadFilter, 'limit'>,
): AsyncGenerator<BookingLead> {
  let after = filter.after;
  do {
    const { items, last } = await listBookings(db, scope, { ...filter, after, limit: PAGE_SIZE });
    yield* items;
    after = last ?? undefined;
  } while (after !== undefined);
}
