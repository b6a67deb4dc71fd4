import { type Db, inTransaction, type Trx } from '../../platform/database/database';
import {
  bookingEvent,
  createEvent,
  enqueueDelivery,
  type WebhookEvent,
} from '../../webhook-queue/enqueue-delivery';
import { readClock } from './departure.repository';
import {
  type ExpiredHold,
  findDeparturesWithExpiredSeats,
  markExpiredHolds,
  markExpiredLeads,
} from './departure-sales.repository';
import { lockDepartures } from './lock-departures';

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
  return { at, holds: holds.map(({ id }) => id), bookingRefs: leads.map(({ bookingRef }) => bookingRef) };
}

/** The holds and bookings that were marked as expired. */
interface ExpiredSeats {
  /** The database's clock after the lock was granted, with microseconds. */
  at: string;
  /** Ids of holds. */
  holds: string[];
  bookingRefs: string[];
}

/** Returns whether a hold or booking was marked, so that others must learn of the free seats. */
export function hasExpired({ holds, bookingRefs }: ExpiredSeats): boolean {
  return holds.length + bookingRefs.length > 0;
}

const DEPARTURES_A_SWEEP = 100;

/**
 * Marks the expired holds and leads of up to 100 departures, each in its own short transaction.
 * @param onFailure receives the error of one departure; the others continue, and the next sweep retries it
 * @returns the ids of the departures
 */
export async function sweepExpiredSeats(db: Db, onFailure: (error: unknown) => void): Promise<string[]> {
  const departureIds = await findDeparturesWithExpiredSeats(db, DEPARTURES_A_SWEEP);
  for (const departureId of departureIds) {
    await inTransaction(db, (trx) => expireSeats(trx, departureId)).catch(onFailure);
  }
  return departureIds.filter((id) => id !== null);
}

/**
 * Locks a departure until `trx` ends, reads the clock, and marks its expired holds and leads.
 * @param departureId null: marks the leads without a departure, and locks nothing
 * @throws DepartureBusyError after two seconds (409)
 */
export async function expireSeats(trx: Trx, departureId: string | null): Promise<ExpiredSeats> {
  if (departureId !== null) await lockDepartures(trx, [departureId]);
  const { at, somethingExpired } = await readClock(trx, departureId);
  if (departureId !== null && !somethingExpired) return { at, holds: [], bookingRefs: [] };
  return markExpiredSeats(trx, departureId === null ? null : [departureId], at);
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
