import type * as platform from '../../platform/errors';
import type { AppError } from '../../platform/errors';
import type * as bookings from '../bookings/booking.errors';
import type * as catalog from '../catalog/catalog.errors';
import type * as credentials from '../credentials/credential.errors';
import type * as departures from '../departures/departure.errors';
import type * as holds from '../holds/hold.errors';
import type * as idempotency from '../idempotency/idempotency.errors';
import type * as http from './http.errors';

/** The codes of all error classes of a file. Base classes have no code, so they are left out. */
type CodesOf<File> = {
  [Name in keyof File]: File[Name] extends abstract new (...values: never) => { code: infer Code }
    ? Named<Code>
    : never;
}[keyof File];

type Named<Code> = string extends Code ? never : Code;

/** Every code that an HTTP answer may have. Errors that only the terminal shows are defined in other files. */
type AnsweredCode =
  | CodesOf<typeof platform>
  | CodesOf<typeof bookings>
  | CodesOf<typeof catalog>
  | CodesOf<typeof credentials>
  | CodesOf<typeof departures>
  | CodesOf<typeof holds>
  | CodesOf<typeof idempotency>
  | CodesOf<typeof http>
  // Any unexpected error.
  | 'internal_error';

/**
 * The answer to an error with one code. The product's specification requires the titles of the 401 codes, of tour_not_found, of the 409
 * codes about departures, and of internal_error. The page /docs/errors/<code> shows `advice`.
 */
interface Problem {
  status: number;
  title: string;
  retryable: boolean;
  advice: string;
}

const UNAUTHORIZED = { status: 401, title: 'Unauthorized', retryable: false };
const INVALID = { status: 400, title: 'Invalid request', retryable: false };
const NO_DEPARTURE = { status: 409, title: 'Departure not available', retryable: false };
const CONFLICT = { status: 409, title: 'Conflict', retryable: false };
const UNAVAILABLE = { status: 503, title: 'Service unavailable', retryable: true };

/** @rule status and text of each error: test/api/error-documents.test.ts */
export const PROBLEMS = {
  validation_failed: {
    ...INVALID,
    advice: 'Look at errors: each names a field, where it stands and what it must be.',
  },
  malformed_json: { ...INVALID, advice: 'Send the body as one JSON object in UTF-8.' },
  unknown_parameter: {
    ...INVALID,
    advice: 'Check the spelling of the names in errors: this call does not know them.',
  },
  duplicate_parameter: { ...INVALID, advice: 'Send each query parameter once.' },
  invalid_cursor: {
    ...INVALID,
    advice:
      'Send next_cursor exactly as you received it, with the same filters. Leave cursor out to begin again.',
  },
  multiple_credentials: {
    ...INVALID,
    advice: 'Send one credential, in one place: for an API key the Authorization header.',
  },
  invalid_idempotency_key: {
    ...INVALID,
    advice: 'Send 1 to 255 visible ASCII characters, such as a UUID, as Idempotency-Key.',
  },
  invalid_api_key: {
    ...UNAUTHORIZED,
    advice:
      'Send a valid API key: Authorization: Bearer svc_live_… A key is shown once; if it is lost, issue a new one.',
  },
  key_expired: {
    ...UNAUTHORIZED,
    advice: 'Ask the operator for a new key. Next time ask for a rotation before the key expires.',
  },
  key_revoked: {
    ...UNAUTHORIZED,
    advice: 'Ask the operator for a new key. A revoked one never works again.',
  },
  tenant_inactive: { ...UNAUTHORIZED, advice: 'Ask the operator: the tenant is suspended or closed.' },
  insufficient_scope: {
    ...UNAUTHORIZED,
    advice: 'Ask the operator for a key with the scope that WWW-Authenticate names.',
  },
  wrong_credential_type: {
    ...UNAUTHORIZED,
    advice:
      'Server calls take an API key (svc_live_…) in Authorization: Bearer or api_key, the widget list and page a widget token (svc_widget_…) in token or x-svc-widget-token.',
  },
  invalid_widget_token: {
    ...UNAUTHORIZED,
    advice: 'Use the token of the snippet as it was issued, or ask for a new one.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'Forbidden',
    retryable: false,
    advice:
      'Ask the operator to allow the exact origin of the page: scheme, host and port. With and without www are two origins.',
  },
  ip_not_allowed: {
    status: 403,
    title: 'Forbidden',
    retryable: false,
    advice: 'Send the request from an address that the key allows.',
  },
  tour_not_found: {
    status: 404,
    title: 'Tour not found',
    retryable: false,
    advice:
      'Check the id or slug against the catalog: the tour does not exist, or is not visible to this tenant.',
  },
  hold_not_found: {
    status: 404,
    title: 'Hold not found',
    retryable: false,
    advice: 'Check hold_id. A tenant sees only its own holds.',
  },
  booking_not_found: {
    status: 404,
    title: 'Booking not found',
    retryable: false,
    advice: 'Check booking_ref. A tenant sees only its own bookings.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    retryable: false,
    advice: 'Check the path; paths are case-sensitive.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    retryable: false,
    advice: 'Use one of the methods in the Allow header.',
  },
  departure_gone: { ...NO_DEPARTURE, advice: 'Choose another date: alternatives has up to three.' },
  departure_cancelled: { ...NO_DEPARTURE, advice: 'Choose another date: alternatives has up to three.' },
  insufficient_seats: {
    ...NO_DEPARTURE,
    advice: 'Ask for at most seats_available seats, or choose another date from alternatives.',
  },
  departure_busy: {
    ...CONFLICT,
    retryable: true,
    advice: 'Wait for the seconds in Retry-After, then send the same request again.',
  },
  hold_expired: { ...CONFLICT, advice: 'Place a new hold; the price may have changed since.' },
  hold_state_conflict: {
    ...CONFLICT,
    advice: 'The hold was released, became a booking, or was changed by other requests meanwhile: read it.',
  },
  hold_limit_reached: {
    ...CONFLICT,
    advice:
      'Release holds that you no longer need, and confirm or cancel unpaid bookings; or let them expire. The operator sets the limits.',
  },
  price_changed: { ...CONFLICT, advice: 'Show the customer total_price and send it as expected_total.' },
  refund_changed: {
    ...CONFLICT,
    advice:
      'Show the customer refund_amount and send it as expected_refund; where it is null, nothing is refunded: send 0.',
  },
  answers_missing: {
    ...CONFLICT,
    advice:
      'Ask the customer what missing lists, send the answers by a change of the booking, then confirm again; or confirm with despite_missing_answers.',
  },
  booking_state_conflict: {
    ...CONFLICT,
    advice:
      'Read the booking: its status does not allow this step, or other requests have changed it meanwhile.',
  },
  idempotency_in_progress: {
    ...CONFLICT,
    retryable: true,
    advice: 'Wait for the seconds in Retry-After, then repeat the request with the same key.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    retryable: false,
    advice: 'Send at most 16 KiB, and 64 KiB for a booking.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    retryable: false,
    advice: 'Send Content-Type: application/json, in UTF-8.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    retryable: false,
    advice: 'Use a new Idempotency-Key for each new request, and the same one only to repeat it.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    retryable: true,
    advice: 'Wait for the seconds in Retry-After. RateLimit tells how many requests are left.',
  },
  internal_error: {
    status: 500,
    title: 'Server error',
    retryable: true,
    advice:
      'Retry with exponential backoff, and with the same Idempotency-Key for a write. Tell the operator the request_id.',
  },
  overloaded: { ...UNAVAILABLE, advice: 'Wait for the seconds in Retry-After, then try again.' },
  shutting_down: { ...UNAVAILABLE, advice: 'Try again at once: another instance answers.' },
} satisfies Record<AnsweredCode, Problem>;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_CODES = Object.keys(PROBLEMS) as ProblemCode[];

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}

/** One issue of the input. */
export interface ProblemFault {
  in: 'body' | 'query' | 'path' | 'header';
  field: string;
  message: string;
}

export interface ProblemAlternative {
  /** YYYY-MM-DD */
  departure_date: string;
  /** HH:MM; null: none. */
  departure_time: string | null;
  /** @isInt */
  seats_available: number;
}

/** The body of every error (RFC 9457), as application/problem+json. */
export interface ProblemDocument {
  /** Address of a page that says what to do. */
  type: string;
  title: string;
  /** @isInt */
  status: number;
  detail: string;
  /** urn:request:<id> */
  instance: string;
  ok: false;
  /** Stable name of the error, such as `insufficient_seats`. */
  code: string;
  request_id: string;
  /** True if the same request may succeed later. */
  retryable: boolean;
  errors?: ProblemFault[];
  alternatives?: ProblemAlternative[];
  /** @isInt */
  seats_available?: number;
  total_price?: number;
  /** @isInt */
  refund_percent?: number | null;
  refund_amount?: number | null;
  currency?: string;
  hold_status?: string;
  booking_status?: string;
  /** The required answers that the booking lacks. */
  missing?: ProblemMissingAnswer[];
}

interface ProblemMissingAnswer {
  /** The code of the question. */
  code: string;
  /**
   * The number of the person in the party, from 0. Null: the question is asked once for the booking.
   * @isInt
   */
  traveller: number | null;
}

/**
 * Returns the problem document (RFC 9457) of an error, with its members in the order of the wire.
 * @param error undefined, or an error whose code is not in PROBLEMS: an internal error, whose details stay hidden
 */
export function describeProblem(error: AppError | undefined, publicBaseUrl: string, requestId: string) {
  const expected = error && isProblemCode(error.code) ? error : undefined;
  const code = (expected?.code ?? 'internal_error') as ProblemCode;
  const { status, title, retryable } = PROBLEMS[code];
  return {
    type: `${publicBaseUrl}/docs/errors/${code}`,
    title,
    status,
    detail: expected?.message ?? 'Something went wrong on our side. Retry with backoff.',
    instance: `urn:request:${requestId}`,
    ok: false,
    code,
    request_id: requestId,
    retryable,
    ...expected?.facts,
  };
}
