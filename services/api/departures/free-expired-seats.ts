import { type Db, inTransaction, type Trx } from '../../platform/database';
import { bookingEvent, enqueueDelivery, type WebhookEvent } from '../../webhook-queue/enqueue-delivery';
import { toMajor } from '../money/currency';
import { lockDepartureById, readClock } from './departure.repository';
import {
  type ExpiredHold,
  type ExpiredLead,
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
export async function freeExpiredSeats(trx: Trx, departureId: string | null, at: string): Promise<void> {
  const holds = departureId === null ? [] : await markExpiredHolds(trx, departureId, at);
  for (const hold of holds) await enqueueDelivery(trx, holdExpired(hold));
  const leads = await markExpiredLeads(trx, departureId, at);
  for (const lead of leads) await enqueueDelivery(trx, bookingExpired(lead));
}

/** Tidies up to `limit` departures, each in a short transaction of its own; it may be late, never wrong. */
export async function sweepExpiredSeats(db: Db, limit = 100): Promise<number> {
  const departures = await findDeparturesWithExpiredSeats(db, limit);
  for (const departureId of departures) {
    await inTransaction(db, async (trx) => {
      if (departureId !== null) await lockDepartureById(trx, departureId);
      const { at } = await readClock(trx, departureId);
      await freeExpiredSeats(trx, departureId, at);
    });
  }
  return departures.length;
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

function bookingExpired(lead: ExpiredLead): WebhookEvent {
  return bookingEvent('booking.expired', {
    tenantId: lead.tenantId,
    bookingRef: lead.bookingRef,
    leadId: lead.id,
    source: lead.source,
    externalRef: lead.externalRef,
    customer: lead.customer,
    departureDate: lead.departureDate,
    totalPrice: toMajor(lead.totalMinor, lead.currencyDigits),
  });
}
