import type { AppError } from '../../platform/errors';
import { isProblemCode, type ProblemCode, PROBLEMS } from './problems';

/** One issue of the input. */
export interface ProblemFault {
  in: 'body' | 'query' | 'path' | 'header';
  field: string;
  message: string;
}

export interface ProblemAlternative {
  /** YYYY-MM-DD */
  departure_date: string;
  /** @isInt */
  seats_available: number;
}

/** Every error's body (RFC 9457), as application/problem+json. */
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
  currency?: string;
  hold_status?: string;
  booking_status?: string;
}

/**
 * Returns the problem document (RFC 9457) of an error, with its members in the order of the wire.
 * @param error undefined or unknown to PROBLEMS: an internal error, whose details stay hidden
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
