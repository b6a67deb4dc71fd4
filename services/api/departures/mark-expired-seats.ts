import type { Trx } from '../../platform/database/database';
import {
  bookingEvent,
  createEvent,
  enqueueDelivery,
  type WebhookEvent,
} from '../../webhook-queue/enqueue-delivery';
import { type ExpiredHold, markExpiredHolds, markExpiredLeads } from './departure-sales.repository';

/**
 * Marks the expired holds and unpaid leads of departures and enqueues their events. Their seats are already free: count_seats
 * counts only live holds (hold_lives) and standing leads (lead_stands, all in 0161_statuses.sql). A transaction that sells seats of a
 * departure also marks its expired holds and leads, so that they cannot become live again if the clock goes back. The caller holds the
 * departures' locks. (seats/changes/release-hold.ts releases a hold before its expiry.)
 * @param departureIds null: leads without a departure
 */
export async function markExpiredSeats(
  trx: Trx,
  departureIds: string[] | null,
  at: string,
): Promise<ExpiredSeats> {
  const holds = departureIds === null ? [] : await markExpiredHolds(trx, departureIds, at);
  const leads = await markExpiredLeads(trx, departureIds, at);
  const expiredBookings = leads.map((lead) => bookingEvent('booking.expired', lead));
  await enqueueDelivery(trx, ...holds.map(holdExpiredEvent), ...expiredBookings);
  return { holds: holds.map(({ id }) => id), bookingRefs: leads.map(({ bookingRef }) => bookingRef) };
}

/** The holds and bookings that were marked as expired. */
export interface ExpiredSeats {
  /** Ids of holds. */
  holds: string[];
  bookingRefs: string[];
}

/** Returns whether a hold or booking was marked, so that others must be notified of the free seats. */
export function hasExpired({ holds, bookingRefs }: ExpiredSeats): boolean {
  return holds.length + bookingRefs.length > 0;
}

/** Creates `hold.expired`. The hold has changed for the last time when it ended. */
export function holdExpiredEvent(hold: ExpiredHold): WebhookEvent {
  const fields = {
    hold_id: hold.id,
    external_ref: hold.externalRef,
    departure_date: hold.departureDate,
    departure_time: hold.departureTime,
    quantity: hold.seats,
    expires_at: hold.expiresAt.toISOString(),
  };
  const object = { tenantId: hold.tenantId, bookingRef: null, updatedAt: hold.expiresAt };
  return createEvent('hold.expired', object, fields);
}
