import type { Trx } from '../../platform/database';
import { enqueueDelivery } from '../../webhook-queue/enqueue-delivery';
import { DepartureCancelledError } from '../departures/departure.errors';
import {
  type LockedDeparture,
  readDeparture,
  relockDeparture,
  reserveSeats,
} from '../departures/reserve-seats';
import { always, type Once, type Replay } from '../idempotency/once';
import type { TenantScope } from '../tenants/tenant-scope';
import { BookingStateConflictError } from './booking.errors';
import { bookingLeadEvent } from './booking-event';
import type { BookingLead, ChangedBooking, NamedBooking } from './booking-lead';
import { lockLead, setLeadStatus } from './booking-lead.repository';
import { getBooking } from './find-booking';

/**
 * The customer has paid. An expired lead takes its seats again if they are free.
 * @throws BookingNotFoundError (404), BookingStateConflictError, and for an expired lead what reserveSeats refuses (409)
 */
export async function confirmBooking(
  trx: Trx,
  scope: TenantScope,
  { bookingRef, by }: NamedBooking,
  once: Once<ChangedBooking> = always,
): Promise<ChangedBooking | Replay> {
  const { id, departureId } = await getBooking(trx, scope, bookingRef);
  return once({ booking: bookingRef }, async () => {
    const locked = departureId ? await relockDeparture(trx, departureId) : undefined;
    await lockLead(trx, id);
    const lead = await getBooking(trx, scope, bookingRef);
    if (lead.status === 'confirmed' || lead.status === 'cancelled') {
      throw new BookingStateConflictError(lead.status, 'confirmed');
    }
    if (locked && lead.status === 'expired') await reserveSeats(trx, locked, lead.adults);
    if (locked) await assertNotCancelled(trx, locked, lead);
    await setLeadStatus(trx, id, 'confirmed', by);
    const confirmed = await getBooking(trx, scope, bookingRef);
    await enqueueDelivery(trx, bookingLeadEvent('booking.confirmed', confirmed));
    return { before: lead, after: confirmed };
  });
}

/** Paid or not, nobody travels on a departure that was cancelled. */
async function assertNotCancelled(trx: Trx, locked: LockedDeparture, lead: BookingLead): Promise<void> {
  const { cancelled, tourId, departureDate } = await readDeparture(trx, locked);
  if (cancelled) throw new DepartureCancelledError({ tourId, departureDate, quantity: lead.adults });
}
