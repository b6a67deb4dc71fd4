import { type ProblemCode, PROBLEMS } from '../http/problems';
import { GENERATED_BASE_URL } from './openapi-document';

const REQUEST_ID = '3b1b0c52-7d0a-4a64-9e0c-51b1f6a4c3de';
const ALTERNATIVES = [{ departure_date: '2027-03-13', seats_available: 9 }];

/** What some answers tell beside the members that all have. */
const FACTS: Partial<Record<ProblemCode, object>> = {
  validation_failed: fault('body', 'quantity', 'must be at most 50'),
  unknown_parameter: fault('query', 'contintent', 'is not a parameter of this call'),
  duplicate_parameter: fault('query', 'continent', 'must be sent once'),
  invalid_cursor: fault('query', 'cursor', 'must be a next_cursor of this list, with the same filters'),
  malformed_json: fault('body', 'body', 'must be one JSON object'),
  multiple_credentials: fault('query', 'api_key', 'must not differ from the credential in Authorization'),
  invalid_idempotency_key: fault('header', 'Idempotency-Key', 'must be 1 to 255 visible ASCII characters'),
  departure_gone: { alternatives: ALTERNATIVES },
  departure_cancelled: { alternatives: ALTERNATIVES },
  insufficient_seats: { seats_available: 1, alternatives: ALTERNATIVES },
  hold_state_conflict: { hold_status: 'converted' },
  booking_state_conflict: { booking_status: 'cancelled' },
  price_changed: { total_price: 979, currency: 'EUR' },
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
