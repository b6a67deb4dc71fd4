import { randomUUID } from 'node:crypto';
import { TourPlatformError } from '../errors.ts';
import { NO_STORE, type ProxyAnswer } from './answer.ts';
import { PLATFORM_PROBLEMS } from './platform-problems.ts';

/** The refusals that the proxy decides itself: those of the platform, and one of its own. */
const PROBLEMS = {
  ...PLATFORM_PROBLEMS,
  invalid_visitor: { status: 401, title: 'Unauthorized', retryable: false },
};

type RefusalCode = keyof typeof PROBLEMS;

/** One issue of the input. Never holds the value that was sent. */
export interface InputIssue {
  in: 'body' | 'query';
  field: string;
  message: string;
}

interface RefusalMore {
  errors?: InputIssue[];
  headers?: Record<string, string>;
  cookies?: string[];
  /** True: the setup of the site may be the reason, so its operator is notified. */
  isOfSetup?: boolean;
}

/** A refusal by the proxy itself. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly more: RefusalMore;

  constructor(code: RefusalCode, detail: string, more: RefusalMore = {}) {
    super(detail);
    this.code = code;
    this.more = more;
  }
}

/** Returns the refusal of one issue of the input (400). */
export function invalidField(place: InputIssue['in'], field: string, message: string): Refusal {
  return new Refusal('validation_failed', `${field} ${message}.`, {
    errors: [{ in: place, field, message }],
  });
}

/** Returns the refusal of a visitor who does too much (429). @param seconds until the next try */
export function rateLimited(detail: string, seconds: number): Refusal {
  return new Refusal('rate_limited', detail, { headers: { 'Retry-After': `${Math.max(1, seconds)}` } });
}

const SERVER_ERROR = 'Something went wrong on our side. Retry with backoff.';

/** An error, and whether the site's operator is notified. */
interface AnsweredError {
  answer: ProxyAnswer;
  isReported: boolean;
}

/**
 * Answers an error of a call. A refusal by the platform passes with its status and its document. A refusal of the site's own key becomes a
 * server error that says nothing of keys, and so does each error that is not expected. A gateway before the platform may send no document.
 */
export function answerError(error: unknown): AnsweredError {
  if (error instanceof Refusal)
    return { answer: refusalAnswer(error), isReported: error.more.isOfSetup ?? false };
  if (error instanceof TourPlatformError) return answerPlatformError(error);
  return { answer: refusalAnswer(new Refusal('internal_error', SERVER_ERROR)), isReported: true };
}

function answerPlatformError(error: TourPlatformError): AnsweredError {
  const { problem, status, retryAfterSeconds } = error;
  if (problem === undefined) {
    const seconds = Math.ceil(retryAfterSeconds ?? 1);
    if (status === 429) return answerError(rateLimited('Too many requests.', seconds));
    const headers = { 'Retry-After': `${seconds}` };
    return {
      answer: refusalAnswer(new Refusal('internal_error', SERVER_ERROR, { headers })),
      isReported: true,
    };
  }
  const isOfKey = status === 401 || status === 403;
  if (isOfKey)
    return { answer: refusalAnswer(new Refusal('internal_error', SERVER_ERROR)), isReported: true };
  const headers: Record<string, string> = {};
  if (isRequestId(problem.request_id)) headers['X-Request-Id'] = problem.request_id;
  if (retryAfterSeconds !== undefined) headers['Retry-After'] = `${Math.ceil(retryAfterSeconds)}`;
  return { answer: problemAnswer(status, problem, headers), isReported: status >= 500 };
}

/** Returns whether a value may stand in a header. A gateway before the platform may send problems of its own. */
function isRequestId(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,128}$/.test(value);
}

function refusalAnswer({ code, message, more }: Refusal): ProxyAnswer {
  const { status, title, retryable } = PROBLEMS[code];
  const requestId = randomUUID();
  const problem = {
    type: 'about:blank',
    title,
    status,
    detail: message,
    instance: `urn:request:${requestId}`,
    ok: false,
    code,
    request_id: requestId,
    retryable,
    errors: more.errors,
  };
  const answer = problemAnswer(status, problem, { 'X-Request-Id': requestId, ...more.headers });
  return { ...answer, cookies: more.cookies };
}

function problemAnswer(status: number, problem: unknown, headers: Record<string, string>): ProxyAnswer {
  return {
    status,
    headers: {
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Cache-Control': NO_STORE,
      ...headers,
    },
    body: JSON.stringify(problem),
  };
}
