import { type ProblemCode, PROBLEMS } from '../http/problems';
import { GENERATED_BASE_URL } from './openapi-document';

const REQUEST_ID = '3b1b0c52-7d0a-4a64-9e0c-51b1f6a4c3de';
const ALTERNATIVES = [{ departure_date: '2027-03-13', seats_available: 9 }];

/** What some answers tell beside the members that all have, and a detail where it says more than the title. */
const FACTS: Partial<Record<ProblemCode, object>> = {
  validation_failed: fault('body', 'quantity', 'must be at most 50'),
  unknown_parameter: fault('query', 'contintent', 'is not a parameter of this call'),
  duplicate_parameter: fault('query', 'continent', 'must be sent once'),
  invalid_cursor: fault('query', 'cursor', 'must be a next_cursor of this list, with the same filters'),
  malformed_json: fault('body', 'body', 'must be one JSON object'),
  multiple_credentials: fault('query', 'api_key', 'must not differ from the credential in Authorization'),
  invalid_idempotency_key: fault('header', 'Idempotency-Key', 'must be 1 to 255 visible ASCII characters'),
  departure_gone: {
    detail: 'The tour has no departure on this date that can still be booked.',
    alternatives: ALTERNATIVES,
  },
  departure_cancelled: { detail: 'The departure on this date was cancelled.', alternatives: ALTERNATIVES },
  insufficient_seats: {
    detail: 'The departure has too few free seats.',
    seats_available: 1,
    alternatives: ALTERNATIVES,
  },
  departure_busy: {
    detail: 'Many requests are taking seats of this departure right now. Try again in a second.',
  },
  hold_expired: { detail: 'The hold has expired and its seats are free again. Place a new hold.' },
  hold_state_conflict: { detail: 'The hold has already become a booking.', hold_status: 'converted' },
  hold_limit_reached: { detail: 'Your live holds may keep 8 seats of this departure at most.' },
  booking_state_conflict: {
    detail: 'The booking is cancelled and cannot be confirmed.',
    booking_status: 'cancelled',
  },
  price_changed: {
    detail: 'The total differs from expected_total. Show the customer the new one and ask again.',
    total_price: 979,
    currency: 'EUR',
  },
  idempotency_in_progress: {
    detail: 'The first request with this Idempotency-Key is still running. Try again in a second.',
  },
};

/** The body of a refusal with this code. */
export function problemExample(code: ProblemCode): Record<string, unknown> {
  const { status, title, retryable } = PROBLEMS[code];
  return {
    type: `${GENERATED_BASE_URL}/docs/errors/${code}`,
    title,
    status,
    detail: `${title}.`,
    instance: `urn:request:${REQUEST_ID}`,
    ok: false,
    code,
    request_id: REQUEST_ID,
    retryable,
    ...FACTS[code],
  };
}

function fault(place: string, field: string, message: string): object {
  return { detail: `${field} ${message}.`, errors: [{ in: place, field, message }] };
}
