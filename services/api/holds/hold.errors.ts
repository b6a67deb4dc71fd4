import { AppError } from '../../platform/errors';
import type { HoldStatus } from './seat-hold';

/** Unknown, or another tenant's: the caller cannot tell which. */
export class HoldNotFoundError extends AppError {
  override readonly name = 'HoldNotFoundError';
  readonly code = 'hold_not_found' as const;

  constructor() {
    super('There is no hold with this id.');
  }
}

export class HoldExpiredError extends AppError {
  override readonly name = 'HoldExpiredError';
  readonly code = 'hold_expired' as const;

  constructor() {
    super('The hold has expired and its seats are free again. Place a new hold.');
  }
}

/** The hold was released or became a booking. */
export class HoldStateConflictError extends AppError {
  override readonly name = 'HoldStateConflictError';
  readonly code = 'hold_state_conflict' as const;

  constructor(readonly status: HoldStatus) {
    super(status === 'converted' ? 'The hold has already become a booking.' : 'The hold was released.');
  }

  override get facts(): Record<string, unknown> {
    return { hold_status: this.status };
  }
}

export class HoldLimitReachedError extends AppError {
  override readonly name = 'HoldLimitReachedError';
  readonly code = 'hold_limit_reached' as const;
}
