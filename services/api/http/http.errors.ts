import { AppError, type InputFault } from '../../platform/errors';

/** Faults of one request's input, all that were found. */
export class BadInputError extends AppError {
  override readonly name = 'BadInputError';

  constructor(
    readonly code: BadInputCode,
    readonly errors: InputFault[],
  ) {
    super(
      errors.length === 1
        ? `${errors[0]!.field} ${errors[0]!.message}.`
        : 'Several fields are not valid; see errors.',
    );
  }

  override get facts(): Record<string, unknown> {
    return { errors: this.errors };
  }
}

export type BadInputCode =
  | 'validation_failed'
  | 'unknown_parameter'
  | 'duplicate_parameter'
  | 'invalid_cursor'
  | 'invalid_idempotency_key'
  | 'multiple_credentials'
  | 'malformed_json';

/** A refusal of the transport itself, with a code of the catalog and nothing more to say. */
export class TransportError extends AppError {
  override readonly name = 'TransportError';

  constructor(
    readonly code:
      | 'not_found'
      | 'method_not_allowed'
      | 'body_too_large'
      | 'unsupported_media_type'
      | 'overloaded'
      | 'shutting_down'
      | 'origin_not_allowed',
    message: string,
  ) {
    super(message);
  }
}

export class RateLimitedError extends AppError {
  override readonly name = 'RateLimitedError';
  readonly code = 'rate_limited' as const;

  constructor(readonly retryAfterSeconds: number) {
    super(`Too many requests. Try again in ${retryAfterSeconds} s.`);
  }
}
