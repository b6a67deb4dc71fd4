import type { Trx } from '../../platform/database/database';
import {
  bookingEvent,
  enqueueDelivery,
  type EventLead,
  type WebhookEvent,
} from '../../webhook-queue/enqueue-delivery';
import { getTourShownByRules } from '../catalog/find-tour';
import { DepartureCancelledError } from '../departures/departure.errors';
import {
  assertNotMoved,
  type LockedDeparture,
  readDeparture,
  relockDeparture,
  reserveSeats,
  wantedOf,
} from '../departures/reserve-seats';
import { withoutKey, type RunIdempotent, type ReplayedResponse } from '../idempotency/run-idempotent';
import { toMajor } from '../pricing/currency';
import { seatsOf } from '../pricing/party';
import type { Actor } from '../tenants/actor';
import { ANY_TENANT, type Tenant, type TenantScope } from '../tenants/tenant';
import { BookingStateConflictError } from './booking.errors';
import type { BookingLead, ChangedBooking, NamedBooking } from './booking-lead';
import { findLeadsById, lockLead, lockStandingLeads, setLeadStatus } from './booking-lead.repository';
import { getBooking } from './find-booking';

/**
 * Confirms a paid booking. An expired lead takes its seats again like a new sale: the tenant must see the tour, and the departure must be
 * open and have free seats. The rate of the tour may be missing, because the price is locked. The tenant's share of the departure does not
 * limit the seats, because they are paid. A confirmed lead stays unchanged and enqueues no event. (departures/free-expired-seats.ts marks
 * unpaid leads as expired.)
 * @param seller the tenant of the booking. ANY_TENANT: an operator, who also confirms a booking of a tour that its tenant does not see
 * @throws BookingNotFoundError (404), BookingStateConflictError for a cancelled lead, DepartureCancelledError (409), and for an expired lead
 *   TourNotFoundError (404) and the errors of reserveSeats (409)
 */
export async function confirmBooking(
  trx: Trx,
  seller: Tenant | typeof ANY_TENANT,
  named: NamedBooking,
  runIdempotent: RunIdempotent<ChangedBooking> = withoutKey,
): Promise<ChangedBooking | ReplayedResponse> {
  const assertAllowed = async (lead: BookingLead, locked: LockedDeparture | undefined) => {
    if (lead.status === 'cancelled') throw new BookingStateConflictError(lead.status, 'confirmed');
    const { party, sandbox, tour } = lead;
    const isExpired = lead.status === 'expired';
    if (isExpired && seller !== ANY_TENANT) await getTourShownByRules(trx, seller, tour.id);
    if (isExpired && locked) await reserveSeats(trx, locked, { quantity: seatsOf(party), sandbox });
    if (locked) await assertNotCancelled(trx, locked, lead);
  };
  const scope = seller === ANY_TENANT ? ANY_TENANT : seller.id;
  return changeStatus(trx, scope, named, runIdempotent, { status: 'confirmed', reason: null, assertAllowed });
}

/**
 * Cancels a booking; its seats become free. A cancelled lead keeps its first reason, stays unchanged and enqueues no event.
 * @throws BookingNotFoundError (404), BookingStateConflictError for an expired lead (409)
 */
export async function cancelBooking(
  trx: Trx,
  scope: TenantScope,
  { reason, ...named }: NamedBooking & { reason: string | null },
  runIdempotent: RunIdempotent<ChangedBooking> = withoutKey,
): Promise<ChangedBooking | ReplayedResponse> {
  const assertAllowed = async (lead: BookingLead) => {
    if (lead.status === 'expired') throw new BookingStateConflictError(lead.status, 'cancelled');
  };
  return changeStatus(trx, scope, named, runIdempotent, { status: 'cancelled', reason, assertAllowed });
}

/**
 * Cancels the standing bookings of a departure, also those of the sandbox, and enqueues their events. The caller has locked the departure
 * and marked its expired bookings. Returns the bookings as they were before, the oldest first.
 */
export async function cancelBookingsOf(
  trx: Trx,
  departureId: string,
  { by, reason }: { by: Actor; reason: string | null },
): Promise<BookingLead[]> {
  const ids = await lockStandingLeads(trx, departureId);
  const before = await findLeadsById(trx, ids);
  await setLeadStatus(trx, ids, 'cancelled', { by, reason });
  await enqueueBookingEvents(trx, 'booking.cancelled', await findLeadsById(trx, ids));
  return before;
}

interface StatusChange {
  status: 'confirmed' | 'cancelled';
  reason: string | null;
  /** Throws if the locked booking must not get the status. */
  assertAllowed: (lead: BookingLead, locked: LockedDeparture | undefined) => Promise<void>;
}

/** Locks the departure and the lead, calls `assertAllowed`, writes the status, and enqueues the event. */
async function changeStatus(
  trx: Trx,
  scope: TenantScope,
  { bookingRef, by }: NamedBooking,
  runIdempotent: RunIdempotent<ChangedBooking>,
  { status, reason, assertAllowed }: StatusChange,
): Promise<ChangedBooking | ReplayedResponse> {
  const { id, departureId } = await getBooking(trx, scope, bookingRef);
  return runIdempotent(async () => {
    const locked = departureId ? await relockDeparture(trx, departureId) : undefined;
    await lockLead(trx, id);
    const before = await getBooking(trx, scope, bookingRef);
    assertNotMoved(departureId, before);
    if (before.status === status) return { before, after: before };
    await assertAllowed(before, locked);
    await setLeadStatus(trx, [id], status, { by, reason });
    const after = await getBooking(trx, scope, bookingRef);
    await enqueueBookingEvents(trx, `booking.${status}`, [after]);
    return { before, after };
  });
}

/** Refuses to confirm a booking of a cancelled departure, even if it is paid, because nobody will travel. */
async function assertNotCancelled(trx: Trx, locked: LockedDeparture, lead: BookingLead): Promise<void> {
  const { party, sandbox } = lead;
  const departure = await readDeparture(trx, locked, sandbox);
  if (departure.cancelled) throw new DepartureCancelledError(wantedOf(departure, seatsOf(party)));
}

type ChangeEventType = 'booking.created' | 'booking.confirmed' | 'booking.updated' | 'booking.cancelled';

/** Returns an event that contains the present data of the lead. */
export function eventOfLead(type: ChangeEventType, lead: BookingLead): WebhookEvent {
  return bookingEvent(type, toEventData(lead));
}

/** Returns the data of the lead that its events contain. */
export function toEventData(lead: BookingLead): EventLead {
  return {
    tenantId: lead.tenant.id,
    bookingRef: lead.bookingRef,
    leadId: lead.id,
    externalRef: lead.externalRef,
    customer: lead.customer,
    departureDate: lead.departureDate,
    departureTime: lead.departureTime,
    totalPrice: toMajor(lead.totalMinor, lead.currencyDigits),
    updatedAt: lead.updatedAt,
  };
}

/** Records the events and their deliveries to the tenants' endpoints, in the transaction that changed the leads. */
export async function enqueueBookingEvents(
  trx: Trx,
  type: ChangeEventType,
  leads: BookingLead[],
): Promise<void> {
  await enqueueDelivery(trx, ...leads.map((lead) => eventOfLead(type, lead)));
}
