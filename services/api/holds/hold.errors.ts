import { AppError } from '../../platform/errors';

/** The hold is unknown, or belongs to another tenant: both get the same answer. */
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

/** A booking without a date needs a live hold with its reference, but all holds with the reference have ended. */
export function noLiveHold(): HoldExpiredError {
  return new HoldExpiredError(
    'No active hold has this external_ref. Check first whether a booking with it exists. Otherwise place a new hold, or send ' +
      'departure_date.',
  );
}

/** A booking without a date has the reference of several live holds of the tour. */
export class AmbiguousHoldReferenceError extends AppError {
  readonly code = 'hold_state_conflict';

  constructor() {
    super(
      'Several active holds of this tour have this external_ref. Send the hold_id, or departure_date, and departure_time if the holds are ' +
        'on one date.',
    );
  }
}

/** The hold was released or became a booking. */
export class HoldStateConflictError extends AppError {
  readonly code = 'hold_state_conflict';

  constructor(readonly status: string) {
    super(status === 'converted' ? 'The hold has already become a booking.' : `The hold was ${status}.`);
  }

  override get facts(): Record<string, unknown> {
    return { hold_status: this.status };
  }
}

/** The personal data of the hold was erased. The change would store personal data again. */
export class HoldAnonymizedError extends AppError {
  readonly code = 'hold_state_conflict';

  constructor() {
    super('The customer of the hold was erased: only its date and its numbers can be changed.');
  }
}

/** Another transaction has stored a booking with the UUID that the OCTO client chose. The request is then answered with that booking. */
export class OctoUuidTakenError extends AppError {
  readonly code = 'hold_state_conflict';

  constructor() {
    super('A booking of the tenant has this UUID.');
  }
}

export class HoldLimitReachedError extends AppError {
  readonly code = 'hold_limit_reached';
}
