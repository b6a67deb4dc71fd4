import { describeParty, partyBefore } from '../parties/party';
import { seatsOf } from '../parties/party-rules';
import { nameDeparture } from '../catalog/start-time';
import type { Db } from '../../platform/database/database';
import { describeChange, type SaleChange, valueBefore } from '../audit/changed-fields';
import type { HoldMoment } from '../holds/find-hold';
import type { TenantScope } from '../tenants/tenant';
import { BookingNotFoundError } from './booking.errors';
import {
  type RecordedBookingChange,
  type BookingLead,
  isBookingRef,
  type LeadPosition,
  type Refund,
} from './booking-lead';
import type { BookingStatus } from './booking-status';
import { findLead, findLeadPlace, findLeadsOfHolds, type LeadPlace } from './booking-lead.repository';
import { refundAnswer } from './refund-answer';
import { findLeads, type LeadFilter } from './lead-list.repository';

/**
 * @param bookingRef any text; a text that is not a booking reference finds no booking
 * @throws BookingNotFoundError for an unknown booking and for a booking of another tenant (404)
 */
export async function getBooking(db: Db, scope: TenantScope, bookingRef: string): Promise<BookingLead> {
  const lead = isBookingRef(bookingRef) ? await findLead(db, scope, bookingRef) : undefined;
  if (!lead) throw new BookingNotFoundError();
  return lead;
}

/**
 * Returns the place of the tenant's booking.
 * @param bookingRef any text
 * @throws BookingNotFoundError as getBooking (404)
 */
export async function getBookingPlace(db: Db, tenantId: string, bookingRef: string): Promise<LeadPlace> {
  const place = isBookingRef(bookingRef) ? await findLeadPlace(db, tenantId, bookingRef) : undefined;
  if (!place) throw new BookingNotFoundError();
  return place;
}

/** Returns the bookings that consumed the holds, in no order. */
export async function bookingsOfHolds(db: Db, holdIds: string[]): Promise<BookingLead[]> {
  return findLeadsOfHolds(db, holdIds);
}

/** Returns one page, in the order of findLeads. `last` is the `after` of the next page; null: this is the last page. */
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

/** Yields every booking that the filter finds, in the order of findLeads. Reads one page at a time. */
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

/** A status that a booking takes after its first one. The event `booked` begins the first one. */
type LaterStatus = Exclude<BookingStatus, 'pending_payment'>;

/** One event in the life of a booking or its hold. */
export interface Moment {
  at: Date;
  event: HoldMoment['event'] | 'booked' | 'changed' | 'anonymized' | LaterStatus;
  /** The actor. Null: the hold or the booking expired, or the actor is unknown. */
  by: string | null;
  detail: string | null;
}

/** When a booking took a status, by whom, and what followed. `at` is null if it never took the status. */
const TAKEN: Record<LaterStatus, (lead: BookingLead) => Omit<Moment, 'at' | 'event'> & { at: Date | null }> =
  {
    expired: (lead) => ({ at: expiry(lead), by: null, detail: 'not paid in time; its seats went back' }),
    confirmed: ({ confirmedAt, confirmedBy }) => ({ at: confirmedAt, by: confirmedBy, detail: null }),
    cancelled: (lead) => ({
      at: lead.cancelledAt,
      by: lead.cancelledBy,
      detail: `its seats went back${refunded(lead.refund, lead)}`,
    }),
  };

/** Returns the events of the hold and the booking, the oldest first. */
export function bookingHistory(
  lead: BookingLead,
  changes: RecordedBookingChange[],
  holdMoments: HoldMoment[] = [],
): Moment[] {
  const moments: (Omit<Moment, 'at'> & { at: Date | null })[] = [
    ...holdMoments,
    { at: lead.createdAt, event: 'booked', by: lead.createdBy, detail: seats(asBooked(lead, changes)) },
    ...changes.map(({ at, by, fields, refund }) => ({
      at,
      event: 'changed' as const,
      by,
      detail: `${describeChange(fields)}${refunded(refund, lead)}`,
    })),
    ...Object.entries(TAKEN).map(([status, taken]) => ({ event: status as LaterStatus, ...taken(lead) })),
    { at: lead.anonymizedAt, event: 'anonymized', by: null, detail: null },
  ];
  return moments
    .filter((moment): moment is Moment => moment.at !== null)
    .sort((a, b) => a.at.getTime() - b.at.getTime());
}

/** Returns the time at which the lead expired, also if it was paid and confirmed later. Null: it did not expire. */
function expiry({ status, paymentDueAt, confirmedAt, expiredAt }: BookingLead): Date | null {
  if (expiredAt || status === 'expired') return paymentDueAt ?? expiredAt;
  return paymentDueAt && confirmedAt && confirmedAt > paymentDueAt ? paymentDueAt : null;
}

/** Returns the departure and the party before the first change. */
function asBooked(lead: BookingLead, changes: SaleChange[]) {
  const { party, categories, departureDate, departureTime } = lead;
  return {
    categories,
    departureDate: valueBefore(changes, 'departure_date', departureDate),
    departureTime: valueBefore(changes, 'departure_time', departureTime),
    party: partyBefore(changes, party, categories),
  };
}

/** Describes a refund behind what was done. Empty: there is none. */
function refunded(refund: Refund | null, lead: BookingLead): string {
  const shown = refundAnswer(refund, lead);
  return shown
    ? `; ${shown.percent}% refunded, ${shown.amount.toFixed(lead.currencyDigits)} ${lead.currency}`
    : '';
}

function seats({ party, categories, departureDate, departureTime }: ReturnType<typeof asBooked>): string {
  if (!departureDate) return `${describeParty(party)}, no date: nothing reserved`;
  const count = seatsOf(party, categories);
  return `${count} ${count === 1 ? 'seat' : 'seats'} on ${nameDeparture(departureDate, departureTime)}`;
}
