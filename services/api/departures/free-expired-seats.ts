import { type Db, inTransaction, type Trx } from '../../platform/database';
import { bookingEvent, enqueueDelivery, type WebhookEvent } from '../../webhook-queue/enqueue-delivery';
import { lockDepartureById, readClock } from './departure.repository';
import {
  type ExpiredHold,
  findDeparturesWithExpiredSeats,
  markExpiredHolds,
  markExpiredLeads,
} from './expired-seats.repository';

/**
 * Writes down that holds and unpaid leads of a departure are over, and announces it. Their seats are free without this,
 * since every count compares the clock; a transaction that gives those seats away writes it down all the same, so that
 * a clock that steps back cannot revive them. The caller holds the departure's lock.
 * @param departureId null: leads without a departure
 */
export async function freeExpiredSeats(
  trx: Trx,
  departureId: string | null,
  at: string,
): Promise<ExpiredSeats> {
  const holds = departureId === null ? [] : await markExpiredHolds(trx, departureId, at);
  const leads = await markExpiredLeads(trx, departureId, at);
  const expiredBookings = leads.map((lead) => bookingEvent('booking.expired', lead));
  await enqueueDelivery(trx, ...holds.map(holdExpired), ...expiredBookings);
  return { holds: holds.map(({ id }) => id), bookingRefs: leads.map(({ bookingRef }) => bookingRef) };
}

/** What was found to be over, and is written down now. */
export interface ExpiredSeats {
  /** Ids. */
  holds: string[];
  bookingRefs: string[];
}

const DEPARTURES_A_SWEEP = 100;

/**
 * Tidies a number of departures, each in a short transaction of its own; it may be late, never wrong.
 * @param onFailure a departure that could not be tidied leaves the others alone, and waits for the next sweep
 */
export async function sweepExpiredSeats(db: Db, onFailure: (error: unknown) => void): Promise<void> {
  for (const departureId of await findDeparturesWithExpiredSeats(db, DEPARTURES_A_SWEEP)) {
    await inTransaction(db, (trx) => expireSeats(trx, departureId)).catch(onFailure);
  }
}

/**
 * The same for one departure, as an operator asks for it.
 * @param departureId null: leads without a departure
 */
export async function expireSeats(trx: Trx, departureId: string | null): Promise<ExpiredSeats> {
  if (departureId !== null) await lockDepartureById(trx, departureId);
  const { at } = await readClock(trx, departureId);
  return freeExpiredSeats(trx, departureId, at);
}

function holdExpired(hold: ExpiredHold): WebhookEvent {
  const body = {
    event_type: 'hold.expired',
    hold_id: hold.id,
    external_ref: hold.externalRef,
    departure_date: hold.departureDate,
    quantity: hold.quantity,
    expires_at: hold.expiresAt.toISOString(),
  };
  return { tenantId: hold.tenantId, type: 'hold.expired', bookingRef: null, body };
}
