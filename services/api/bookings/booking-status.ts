import type { OctoBookingStatus } from '../holds/octo-booking';
import { BookingStateConflictError } from './booking.errors';

/** The status of a booking by the database's clock (LEAD_STATUS of booking-lead.repository.ts). */
export type BookingStatus = 'pending_payment' | 'confirmed' | 'cancelled' | 'expired';

/** The code of the error that refuses an action. */
type Refusal = 'booking_state_conflict';

/** A status, and the outcome of each action in it: the next status, `stay` if the action changes nothing, or the refusal. */
interface BookingStatusRow {
  /**
   * True: the booking stands. lead_takes_seats (0161_statuses.sql) says the same of the stored status. An action that leads from a status
   * without seats to one with seats takes them again by the rules of a sale.
   */
  takesSeats: boolean;
  /** True: the booking stands until its payment is due, and its deposit follows its price. */
  awaitsPayment: boolean;
  octo: OctoBookingStatus;
  confirm: 'confirmed' | 'stay' | Refusal;
  cancel: 'cancelled' | 'stay' | Refusal;
  change: BookingStatus | Refusal;
}

type BookingAction = 'confirm' | 'cancel' | 'change';

/** The statuses that an action gives to a booking. Each has a time, an actor and an event. */
export type DecidedStatus = Exclude<BookingStatusRow['confirm' | 'cancel'], 'stay' | Refusal>;

/** @rule what each action does in a status of a booking: test/api/statuses.test.ts */
export const BOOKING_STATUSES: Record<BookingStatus, BookingStatusRow> = {
  pending_payment: {
    takesSeats: true,
    awaitsPayment: true,
    octo: 'PENDING',
    confirm: 'confirmed',
    cancel: 'cancelled',
    change: 'pending_payment',
  },
  confirmed: {
    takesSeats: true,
    awaitsPayment: false,
    octo: 'CONFIRMED',
    confirm: 'stay',
    cancel: 'cancelled',
    change: 'confirmed',
  },
  cancelled: {
    takesSeats: false,
    awaitsPayment: false,
    octo: 'CANCELLED',
    confirm: 'booking_state_conflict',
    cancel: 'stay',
    change: 'booking_state_conflict',
  },
  expired: {
    takesSeats: false,
    awaitsPayment: false,
    octo: 'EXPIRED',
    confirm: 'confirmed',
    cancel: 'booking_state_conflict',
    change: 'booking_state_conflict',
  },
};

interface WithStatus {
  status: BookingStatus;
}

/** Returns true if the booking is neither cancelled nor expired. */
export function isStanding({ status }: WithStatus): boolean {
  return BOOKING_STATUSES[status].takesSeats;
}

/** Returns true if the booking stands and is not paid. */
export function awaitsPayment({ status }: WithStatus): boolean {
  return BOOKING_STATUSES[status].awaitsPayment;
}

/** Returns true if a cancellation would change nothing, because the booking is cancelled. */
export function isCancelled({ status }: WithStatus): boolean {
  return BOOKING_STATUSES[status].cancel === 'stay';
}

const DONE: Record<BookingAction, string> = { confirm: 'confirmed', cancel: 'cancelled', change: 'changed' };

/**
 * Returns the status of the booking after the action; `stay`: the action changes nothing.
 * @throws BookingStateConflictError (409)
 */
export function bookingOutcome<Action extends BookingAction>(
  { status }: WithStatus,
  action: Action,
): Exclude<BookingStatusRow[Action], Refusal> {
  const outcome = BOOKING_STATUSES[status][action];
  if (outcome === 'booking_state_conflict') throw new BookingStateConflictError(status, DONE[action]);
  return outcome as Exclude<BookingStatusRow[Action], Refusal>;
}
