import { AppError } from '../../platform/errors';
import type { MissingAnswer } from '../questions/answers';

/** The booking is unknown, or belongs to another tenant: both get the same answer. */
export class BookingNotFoundError extends AppError {
  readonly code = 'booking_not_found';

  constructor() {
    super('There is no booking with this reference. Check its spelling, or list the bookings.');
  }
}

export class BookingStateConflictError extends AppError {
  readonly code = 'booking_state_conflict';

  constructor(
    readonly status: string,
    attempted: string,
  ) {
    super(`The booking is ${status} and cannot be ${attempted}.`);
  }

  override get facts(): Record<string, unknown> {
    return { booking_status: this.status };
  }
}

/** The change needs the tour's present price, but the tour is now sold in another currency than the hold or booking. */
export class CurrencyConflictError extends AppError {
  readonly code = 'booking_state_conflict';

  constructor(sale: 'hold' | 'booking', now: string, sold: string) {
    const end = sale === 'hold' ? 'Release' : 'Cancel';
    super(`The tour is now sold in ${now}, and the ${sale} is in ${sold}. ${end} it and create another one.`);
  }
}

/** The personal data of the booking was erased. The change would store personal data again. */
export class BookingAnonymizedError extends AppError {
  readonly code = 'booking_state_conflict';

  constructor() {
    super('The customer of the booking was erased: only its date and its numbers can be changed.');
  }
}

/** The total differs from the one that the customer saw. */
export class PriceChangedError extends AppError {
  readonly code = 'price_changed';

  constructor(
    readonly totalPrice: number,
    readonly currency: string,
  ) {
    super('The total differs from expected_total. Show the customer the new one and ask again.');
  }

  override get facts(): Record<string, unknown> {
    return { total_price: this.totalPrice, currency: this.currency };
  }
}

/** The refund differs from the one that the caller has shown. */
export class RefundChangedError extends AppError {
  readonly code = 'refund_changed';

  /** @param refund null: nothing was paid, or nothing is stated. The amount is in major units */
  constructor(
    private readonly refund: { percent: number; amount: number } | null,
    private readonly currency: string,
  ) {
    super(
      refund
        ? 'The refund differs from expected_refund. Show the customer the new one and ask again.'
        : 'The booking has no refund: nothing was paid, or nothing is stated. Leave out expected_refund, or send 0.',
    );
  }

  override get facts(): Record<string, unknown> {
    return {
      refund_percent: this.refund?.percent ?? null,
      refund_amount: this.refund?.amount ?? null,
      currency: this.currency,
    };
  }
}

/** The booking lacks required answers, so it is not confirmed. */
export class AnswersMissingError extends AppError {
  readonly code = 'answers_missing';

  constructor(readonly missing: MissingAnswer[]) {
    super(
      'Required answers are missing. Add them by a change of the booking, or confirm with {"despite_missing_answers": true}.',
    );
  }

  override get facts(): Record<string, unknown> {
    return { missing: this.missing };
  }
}
