import type { LockedDeparture } from '../departures/departure';
import { addMinutes, earlierOf } from '../holds/clock-text';
import type { Tenant } from '../tenants/tenant';
import type { BookingLead } from './booking-lead';

/**
 * Returns the end of the payment window of a new booking, which no change moves. Null: the tenant has no payment window, so the booking
 * stands until it is cancelled. Other files have the other parts of the rule:
 * - 0101_tenants.sql: the default of a tenant, 72 hours; `tenant set --payment-window` changes it for new bookings.
 * - 0107_leads.sql and 0161_statuses.sql: lead_lapsed() and lead_stands() compare the time with the database's clock.
 * - 0147_payment_window.sql: payment_due_of() repeats paymentDueAt, and payment_due_may_change() repeats the condition of paymentDueAfterMove,
 *   for bookings whose departure starts at another time or is moved.
 * - departures/mark-expired-seats.ts: marks lapsed bookings as expired and sends their events.
 * - remind-payment.ts: sends one reminder before the time.
 */
export function paymentWindowEnd(
  createdAt: string,
  { paymentWindowMinutes }: Pick<Tenant, 'paymentWindowMinutes'>,
): string | null {
  return paymentWindowMinutes === null ? null : addMinutes(createdAt, paymentWindowMinutes);
}

/**
 * Returns the time until which an unpaid booking stands and keeps its seats: the end of its payment window, or the instant at which its
 * departure is past if that is earlier. Null: it has no payment window.
 * @param departure null: a booking without a date
 */
export function paymentDueAt(
  windowEndsAt: string | null,
  departure: Pick<LockedDeparture, 'pastAt'> | null,
): string | null {
  return windowEndsAt === null || departure === null
    ? windowEndsAt
    : earlierOf(windowEndsAt, departure.pastAt);
}

/** Returns when the payment is due after a standing booking moves to another departure. A booking that was paid too late keeps the time. */
export function paymentDueAfterMove(
  { paymentWindowEndsAt, paymentDueAt: due, confirmedAt }: BookingLead,
  departure: Pick<LockedDeparture, 'pastAt'>,
): Date | null {
  const paidTooLate = due !== null && confirmedAt !== null && due <= confirmedAt;
  if (paymentWindowEndsAt === null || paidTooLate) return due;
  return new Date(paymentDueAt(paymentWindowEndsAt.toISOString(), departure)!);
}
