import type { Db } from '../../platform/database';
import type { TenantScope } from '../tenants/tenant-scope';
import { BookingNotFoundError } from './booking.errors';
import type { BookingLead } from './booking-lead';
import { isBookingRef } from './booking-ref';
import {
  findLapsedLeads,
  findLead,
  findLeadOfHold,
  findLeads,
  type LeadFilter,
} from './booking-lead.repository';

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

/** The booking that a hold became. */
export async function findBookingOfHold(db: Db, holdId: string): Promise<BookingLead | undefined> {
  return findLeadOfHold(db, holdId);
}

/** Unpaid bookings whose payment window is over, though nobody wrote that down yet; the oldest first. */
export async function listLapsedBookings(db: Db, limit: number): Promise<BookingLead[]> {
  return findLapsedLeads(db, limit);
}

const PAGE = 500;

/** All that the filter finds, newest first, however many: a page at a time. */
export async function* walkBookings(
  db: Db,
  scope: TenantScope,
  filter: Omit<LeadFilter, 'limit'>,
): AsyncGenerator<BookingLead> {
  let beforeId = filter.beforeId;
  do {
    const { items, lastId } = await listBookings(db, scope, { ...filter, beforeId, limit: PAGE });
    yield* items;
    beforeId = lastId ?? undefined;
  } while (beforeId !== undefined);
}
