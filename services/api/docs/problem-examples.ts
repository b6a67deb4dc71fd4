import type { AppError } from '../../platform/errors';
import {
  BookingNotFoundError,
  AnswersMissingError,
  BookingStateConflictError,
  PriceChangedError,
  RefundChangedError,
} from '../bookings/booking.errors';
import { TourNotFoundError } from '../catalog/catalog.errors';
import * as credentials from '../credentials/credential.errors';
import * as departures from '../departures/departure.errors';
import * as holds from '../holds/hold.errors';
import { invalidCursor } from '../http/paging';
import { describeProblem, type ProblemCode } from '../http/problems';
import { badInput, RateLimitedError, TransportError, UNKNOWN_FIELD } from '../http/http.errors';
import { IdempotencyInProgressError, IdempotencyKeyReusedError } from '../idempotency/idempotency.errors';
import { GENERATED_BASE_URL } from './openapi-document';

const REQUEST_ID = '3b1b0c52-7d0a-4a64-9e0c-51b1f6a4c3de';
const WANTED = {
  tourId: '',
  departureId: null,
  departureDate: '2027-03-06',
  departureTime: '09:30',
  quantity: 2,
  sandbox: false,
};

/** One error for each code, created as the service creates it. */
const REFUSALS: Record<Exclude<ProblemCode, 'internal_error'>, AppError> = {
  validation_failed: badInput('validation_failed', 'body', 'quantity', 'must be at most 50'),
  malformed_json: badInput('malformed_json', 'body', 'body', 'must be one JSON object'),
  unknown_parameter: badInput('unknown_parameter', 'body', 'seats', UNKNOWN_FIELD),
  duplicate_parameter: badInput('duplicate_parameter', 'query', 'continent', 'must be sent once'),
  invalid_cursor: invalidCursor(),
  multiple_credentials: badInput(
    'multiple_credentials',
    'query',
    'api_key',
    'must not differ from the credential in Authorization',
  ),
  invalid_idempotency_key: badInput(
    'invalid_idempotency_key',
    'header',
    'Idempotency-Key',
    'must be 1 to 255 visible ASCII characters',
  ),
  invalid_api_key: new credentials.InvalidApiKeyError(),
  key_expired: new credentials.KeyExpiredError(),
  key_revoked: new credentials.KeyRevokedError(),
  tenant_inactive: new credentials.TenantInactiveError(),
  insufficient_scope: new credentials.InsufficientScopeError({
    kind: 'api_key',
    familyId: '4nL0pQ8sTzX2',
    scope: 'booking:create',
    tenant: { sandbox: false, availabilityRpm: null, holdRpm: null, bookingRpm: null, catalogRpm: null },
  }),
  wrong_credential_type: new credentials.WrongCredentialTypeError('api_key'),
  invalid_widget_token: new credentials.InvalidWidgetTokenError(),
  origin_not_allowed: new TransportError('origin_not_allowed'),
  ip_not_allowed: new TransportError('ip_not_allowed'),
  tour_not_found: new TourNotFoundError(),
  hold_not_found: new holds.HoldNotFoundError(),
  booking_not_found: new BookingNotFoundError(),
  not_found: new TransportError('not_found'),
  method_not_allowed: new TransportError('method_not_allowed', 'This path accepts GET, HEAD, OPTIONS.'),
  departure_gone: withAlternatives(new departures.DepartureGoneError(WANTED)),
  departure_cancelled: withAlternatives(new departures.DepartureCancelledError(WANTED)),
  insufficient_seats: withAlternatives(new departures.InsufficientSeatsError(WANTED, 1)),
  departure_busy: new departures.DepartureBusyError(),
  hold_expired: new holds.HoldExpiredError(),
  hold_state_conflict: new holds.HoldStateConflictError('converted'),
  hold_limit_reached: new holds.HoldLimitReachedError(
    'The most seats of this departure that your active holds and unpaid bookings may keep is 12.',
  ),
  price_changed: new PriceChangedError(979, 'EUR'),
  refund_changed: new RefundChangedError({ percent: 50, amount: 489.5 }, 'EUR'),
  answers_missing: new AnswersMissingError([{ code: 'weight', traveller: 0 }]),
  booking_state_conflict: new BookingStateConflictError('cancelled', 'confirmed'),
  idempotency_in_progress: new IdempotencyInProgressError(),
  body_too_large: new TransportError('body_too_large'),
  unsupported_media_type: new TransportError('unsupported_media_type'),
  idempotency_key_reused: new IdempotencyKeyReusedError(),
  rate_limited: new RateLimitedError(41),
  overloaded: new TransportError('overloaded'),
  shutting_down: new TransportError('shutting_down'),
};

/** Returns the body of an answer with this code. */
export function problemExample(code: ProblemCode): object {
  const error = code === 'internal_error' ? undefined : REFUSALS[code];
  return describeProblem(error, GENERATED_BASE_URL, REQUEST_ID);
}

function withAlternatives<T extends { alternatives: departures.Alternative[] }>(refusal: T): T {
  refusal.alternatives = [{ departureDate: '2027-03-06', departureTime: '14:30', seatsAvailable: 9 }];
  return refusal;
}
