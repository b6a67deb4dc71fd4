import { AppError } from '../../platform/errors';
import type { HoldStatus } from './seat-hold';

/** The hold is unknown or another tenant's; both have the same answer. */
export class HoldNotFoundError extends AppError {
  readonly code = 'hold_not_found';

  constructor() {
    super('There is no hold with this id.');
  }
}

export class HoldExpiredError extends AppError {
  readonly code = 'hold_expired';

  constructor(message = 'The hold has expired and its seats are free again. Place a new hold.') {
    super(message);
  }
}

/** A booking without a date has the reference of several live holds of the tour. */
export class AmbiguousHoldReferenceError extends AppError {
  readonly code = 'hold_state_conflict';

  constructor() {
    super('Several live holds of this tour have this external_ref. Send the hold_id or the departure_date.');
  }
}

/** The hold was released or became a booking. */
export class HoldStateConflictError extends AppError {
  readonly code = 'hold_state_conflict';

  constructor(readonly status: HoldStatus) {
    super(status === 'converted' ? 'The hold has already become a booking.' : 'The hold was released.');
  }

  override get facts(): Record<string, unknown> {
    return { hold_status: this.status };
  }
}

export class HoldLimitReachedError extends AppError {
  readonly code = 'hold_limit_reached';
}
