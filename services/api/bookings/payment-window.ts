import { AppError } from '../../platform/errors';
import type { LockedDeparture } from '../departures/departure';
import { addMinutes, earlierOf } from '../holds/clock-text';
import type { BookingPaymentMethod } from '../tenants/payment-method';
import type { Tenant } from '../tenants/tenant';
import type { BookingLead } from './booking-lead';

/**
 * Returns the end of the payment window of a new booking, which no change moves. Null: the tenant has no payment window, or the booking is
 * paid in cash, so it stands until it is cancelled. Other files have the other parts of the rule:
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
  { payBy, paymentMethod }: NamedWindow,
): string | null {
  if (payBy !== undefined) return assertPayBy(createdAt, payBy);
  if (paymentMethod === 'cash') return null;
  return paymentWindowMinutes === null ? null : addMinutes(createdAt, paymentWindowMinutes);
}

/** Names the end and the payment method of a sale, which decide its payment window. */
interface NamedWindow {
  /** RFC 3339: the end that the desk names. Null: none. Undefined: the desk names none. */
  payBy: string | null | undefined;
  paymentMethod: BookingPaymentMethod;
}

/**
 * Checks the end of the payment window that the desk names.
 * @param payBy null: none
 * @throws PayByPastError
 */
function assertPayBy(at: string, payBy: string | null): string | null {
  if (payBy !== null && Date.parse(payBy) <= Date.parse(at)) throw new PayByPastError();
  return payBy;
}

/** Only the terminal shows this error: only the desk names the end of a payment window. */
class PayByPastError extends AppError {
  readonly code = 'pay_by_past';

  constructor() {
    super('--pay-by must be in the future');
  }
}

/**
 * Returns the time until which an unpaid booking stands and keeps its seats: the end of its payment window, or the instant at which its
 * departure is past if that is earlier. Null: it has no payment window.
 * @param departure null: a booking without a date
 * @rule the payment window of an unpaid booking: test/api/payment-due.test.ts
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
