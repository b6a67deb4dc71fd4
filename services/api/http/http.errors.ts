import { AppError, InputError, type InputIssue, type InputPlace } from '../../platform/errors';
import { hideCredentials } from '../../platform/forms/text-forms';
import { PARSED_HEADER_MAX, type RequestMalformation } from '../../platform/http/malformed-request';

/**
 * The most issues in an answer. A body of 16 KiB can have thousands.
 * @rule how many issues an answer names: test/api/bad-bodies.long.test.ts
 */
export const ISSUES_MAX = 50;

/** The input of a request is not valid. The error contains all issues, 50 at most. */
export class BadInputError extends InputError {
  readonly errors: InputIssue[];

  constructor(
    readonly code: BadInputCode,
    issues: InputIssue[],
  ) {
    super(
      issues.length === 1
        ? `${issues[0]!.field} ${issues[0]!.message}.`
        : 'Several fields are not valid; see errors.',
    );
    this.errors = issues.slice(0, ISSUES_MAX);
  }
}

type BadInputCode =
  | 'validation_failed'
  | 'unknown_parameter'
  | 'duplicate_parameter'
  | 'invalid_cursor'
  | 'invalid_idempotency_key'
  | 'multiple_credentials'
  | 'malformed_json';

/** Creates an error with one issue. */
export function badInput(
  code: BadInputCode,
  place: InputPlace,
  field: string,
  message: string,
): BadInputError {
  return new BadInputError(code, [{ in: place, field, message }]);
}

const MALFORMATIONS: Record<RequestMalformation['reason'], string> = {
  unreadable: 'could not be read as HTTP/1.1',
  too_slow: 'did not come in time',
  headers_too_large: 'has more than 16 KiB of headers',
  too_many_headers: 'has more than 100 headers',
  header_too_long: `must have at most ${PARSED_HEADER_MAX} characters`,
  host: 'must be sent once',
};

export function malformedInput({ reason, header }: RequestMalformation): BadInputError {
  return badInput('validation_failed', 'header', header, MALFORMATIONS[reason]);
}

/** Returns a client's field name for messages: short, on one line, and without a credential. */
export function fieldName(name: string): string {
  const oneLine = hideCredentials(name.replace(/\p{Cc}/gu, '?'));
  return oneLine.slice(0, 100) || '(empty name)';
}

export const UNKNOWN_FIELD = 'is not a field of this request';

/** The default message of each code. */
const REFUSALS = {
  not_found: 'This path does not exist.',
  method_not_allowed: 'This path takes other methods.',
  origin_not_allowed: 'The token is not for this origin.',
  // Not in use: no key is restricted to addresses yet. The documentation lists the code, so clients may already handle it.
  ip_not_allowed: 'The key is not for this address.',
  body_too_large: 'The body may have 16 KiB at most, and of a booking 64 KiB.',
  unsupported_media_type: 'The body must be JSON in UTF-8.',
  // For a lock timeout that no use case handles.
  departure_busy: 'Other requests are changing the same data. Try again in a second.',
  overloaded: 'The service is overloaded. Try again in a second.',
  shutting_down: 'This instance is stopping.',
};

/** An error of the HTTP layer itself: a code and a message. */
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
