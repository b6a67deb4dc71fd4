import { textOf } from '../../clients/booking-element/src/problem-texts';
import { en } from '../../clients/booking-element/src/words/en';
import { PROBLEM_CODES, PROBLEMS } from '../../services/api/http/problems';

const problem = (code: string, rest: object = {}) => textOf({ code, ...rest });

describe('the words about a problem', () => {
  it('each problem of the platform is said in words of its own, but for the errors of the site and of the servers', () => {
    const failed = PROBLEM_CODES.filter((code) => problem(code, PROBLEMS[code]) === 'failed').sort();
    expect(failed).toEqual([
      'answers_missing',
      'booking_not_found',
      'booking_state_conflict',
      'duplicate_parameter',
      'idempotency_key_reused',
      'insufficient_scope',
      'internal_error',
      'invalid_api_key',
      'invalid_cursor',
      'invalid_idempotency_key',
      'invalid_widget_token',
      'ip_not_allowed',
      'key_expired',
      'key_revoked',
      'malformed_json',
      'method_not_allowed',
      'multiple_credentials',
      'not_found',
      'origin_not_allowed',
      'refund_changed',
      'tenant_inactive',
      'unknown_parameter',
      'unsupported_media_type',
      'wrong_credential_type',
    ]);
    const texts = { ...en.problem, soldOut: 1, cancelled: 1, tooFew: 1 };
    for (const code of PROBLEM_CODES) expect(texts).toHaveProperty(problem(code, PROBLEMS[code]));
  });

  it('a departure without a seat is sold out, with or without alternatives', () => {
    const alternatives = [{ departure_date: '2027-05-02', departure_time: null, seats_available: 3 }];
    expect(problem('insufficient_seats', { seats_available: 2 })).toBe('tooFew');
    expect(problem('insufficient_seats', { seats_available: 0, alternatives })).toBe('soldOut');
    expect(problem('insufficient_seats', { seats_available: 0 })).toBe('soldOut');
  });

  it('a call that may succeed later is a moment to wait, and a long wait says how long it is', () => {
    const { retryable } = PROBLEMS.rate_limited;
    expect(problem('rate_limited', { retryable, retryAfter: 30 })).toBe('busy');
    expect(problem('rate_limited', { retryable, retryAfter: 1800 })).toBe('wait');
    const waits = PROBLEM_CODES.filter((code) => problem(code, PROBLEMS[code]) === 'busy').sort();
    expect(waits).toEqual([
      'departure_busy',
      'idempotency_in_progress',
      'overloaded',
      'rate_limited',
      'shutting_down',
    ]);
  });
});
