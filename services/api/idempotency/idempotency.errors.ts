import { AppError } from '../../platform/errors';

/** The key was already used for another request. */
export class IdempotencyKeyReusedError extends AppError {
  readonly code = 'idempotency_key_reused';

  constructor() {
    super('This Idempotency-Key was used for another request. Use a new key for a new request.');
  }
}

/** The first request with this key is still running after two seconds. */
export class IdempotencyInProgressError extends AppError {
  readonly code = 'idempotency_in_progress';

  constructor() {
    super('The first request with this Idempotency-Key is still running. Try again in a second.');
  }
}
