import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { foreignAnswerDetail, jsonObjectOf, redirectDetail } from './answers.ts';
import { type Problem, TourPlatformError } from './errors.ts';

export interface RetryLimits {
  /** Most tries of a call, the first included. */
  maxTries: number;
  /** Most milliseconds of one try, until the whole answer is there. */
  timeoutMs: number;
  /** Most milliseconds of a call, with all its tries and waits. */
  totalTimeoutMs: number;
}

const FIRST_WAIT_MS = 500;

/**
 * Sends a request until its response is final. Sends a write with the same Idempotency-Key each time.
 * @throws TourPlatformError, or the reason of the caller's signal
 */
export async function fetchWithRetries(request: Request, limits: RetryLimits): Promise<Response> {
  const isKeyed = request.method === 'POST' || request.method === 'PATCH';
  if (isKeyed && !request.headers.has('Idempotency-Key')) {
    request.headers.set('Idempotency-Key', randomUUID());
  }
  const deadline = performance.now() + limits.totalTimeoutMs;
  for (let attempt = 1; ; attempt++) {
    const answer = await tryOnce(request, Math.min(limits.timeoutMs, deadline - performance.now()));
    if (answer instanceof Response) return answer;
    const waitMs = waitAfter(attempt, answer);
    const isOver = attempt >= limits.maxTries || performance.now() + waitMs >= deadline;
    if (!answer.retryable || isOver) throw answer;
    await sleep(waitMs, undefined, { signal: request.signal }).catch(() => request.signal.throwIfAborted());
  }
}

/** Doubles the wait after each try. Adds a random time, also to Retry-After, so that clients do not return together. */
function waitAfter(attempt: number, { retryAfterSeconds = 0 }: TourPlatformError): number {
  const backoffMs = (FIRST_WAIT_MS / 2) * 2 ** (attempt - 1);
  return Math.max(backoffMs, retryAfterSeconds * 1000) + Math.random() * backoffMs;
}

const NOT_MODIFIED = 304;

/** Returns the response of a success, or of a 304 to a read. Returns any other result as an error. */
async function tryOnce(request: Request, timeoutMs: number): Promise<Response | TourPlatformError> {
  const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
  const sent = sentRequest(request);
  try {
    // Follows no redirect: the next server would get the customer's data and the key, and a POST could become a GET.
    const answer = await fetch(request.clone(), {
      signal: AbortSignal.any([request.signal, timeout]),
      redirect: 'manual',
    });
    // Reads the body here, because an answer that breaks off is repeated too.
    const body = await answer.text();
    const { status, headers } = answer;
    const json = jsonObjectOf(headers.get('Content-Type'), body);
    return errorOfAnswer(sent, { status, headers, json }) ?? new Response(body || null, answer);
  } catch (cause) {
    request.signal.throwIfAborted();
    return errorWithoutAnswer(sent, cause);
  }
}

/** The parts of a request by which its answer is classified. */
export interface SentRequest {
  method: string;
  url: string;
  idempotencyKey?: string;
}

/** The parts of an answer that decide whether it is a success of the platform. */
export interface ReceivedAnswer {
  status: number;
  headers: { get(name: string): string | null };
  /** The body, as jsonObjectOf returns it. */
  json: Record<string, unknown> | undefined;
}

function sentRequest({ method, url, headers }: Request): SentRequest {
  return { method, url, idempotencyKey: headers.get('Idempotency-Key') ?? undefined };
}

/** Returns the error of an answer. Undefined: the answer is a success of the platform, or a 304 to a read. */
export function errorOfAnswer(request: SentRequest, answer: ReceivedAnswer): TourPlatformError | undefined {
  const { status } = answer;
  if (status === NOT_MODIFIED && request.method === 'GET') return undefined;
  if (status < 200 || status > 299) return refusal(request, answer);
  const detail = foreignAnswerDetail(request, status, answer.json);
  const { idempotencyKey } = request;
  return detail === undefined ? undefined : new TourPlatformError({ status, detail, idempotencyKey });
}

/** Returns the error of a request that has no complete answer. */
export function errorWithoutAnswer({ idempotencyKey }: SentRequest, cause: unknown): TourPlatformError {
  const detail = `No answer: ${reasonOf(cause)}`;
  return new TourPlatformError({ status: 0, detail, idempotencyKey, cause });
}

function refusal(request: SentRequest, { status, headers, json }: ReceivedAnswer): TourPlatformError {
  const { idempotencyKey } = request;
  if (status >= 300 && status < 400 && status !== NOT_MODIFIED) {
    const detail = redirectDetail(request, headers.get('Location'));
    return new TourPlatformError({ status, detail, idempotencyKey });
  }
  const isProblem = headers.get('Content-Type')?.startsWith('application/problem+json');
  const problem = isProblem ? (json as Problem | undefined) : undefined;
  const detail = problem?.detail ?? `The answer with the status ${status} is not from the platform.`;
  const retryAfterSeconds = secondsOf(headers.get('Retry-After'));
  return new TourPlatformError({ status, detail, problem, retryAfterSeconds, idempotencyKey });
}

/** @param retryAfter seconds, as the platform sends them, or a date, as a proxy may */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** Returns the operating system's message if fetch only says that the request failed. */
function reasonOf(cause: unknown): string {
  const { message, cause: inner } = cause as { message: string; cause?: { message?: string } };
  return inner?.message || message;
}
