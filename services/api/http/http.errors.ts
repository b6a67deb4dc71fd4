import { AppError, type InputFault, type InputPlace } from '../../platform/errors';

/** Faults of one request's input, all that were found. */
export class BadInputError extends AppError {
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

/** Most requests have one fault. */
export function badInput(
  code: BadInputCode,
  place: InputPlace,
  field: string,
  message: string,
): BadInputError {
  return new BadInputError(code, [{ in: place, field, message }]);
}

/** A name as the client wrote it, fit to be shown: short, on one line, and without a credential that slipped into it. */
export function fieldName(name: string): string {
  const oneLine = name.replace(/\p{Cc}/gu, '?').replace(/svc_(live|widget)_\w+/g, 'svc_$1_…');
  return oneLine.slice(0, 100) || '(empty name)';
}

export const UNKNOWN_FIELD = 'is not a field of this request';

/** What each says where the caller has nothing better. */
const REFUSALS = {
  not_found: 'There is nothing at this path.',
  method_not_allowed: 'This path takes other methods.',
  origin_not_allowed: 'The token is not for this origin.',
  // No key is bound to addresses yet; the contract lists the code, so that a client may decide by it today.
  ip_not_allowed: 'The key is not for this address.',
  body_too_large: 'The body may have 16 KiB at most.',
  unsupported_media_type: 'The body must be JSON in UTF-8.',
  // A lock that no use case waits for by name.
  departure_busy: 'Others are writing to this right now. Try again in a second.',
  overloaded: 'Too much to do right now.',
  shutting_down: 'This instance is stopping.',
};

/** A refusal of the transport itself, with a code of the catalog and nothing more to say. */
export class TransportError extends AppError {
  constructor(
    readonly code: keyof typeof REFUSALS,
    message: string = REFUSALS[code],
  ) {
    super(message);
  }
}

export class RateLimitedError extends AppError {
  readonly code = 'rate_limited';

  constructor(readonly retryAfterSeconds: number) {
    super(`Too many requests. Try again in ${retryAfterSeconds} s.`);
  }
}
