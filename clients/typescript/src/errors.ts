import type { components, ProblemCode as PlatformCode } from './openapi.ts';

/** The document of a refusal (RFC 9457), with `errors`, `alternatives`, `seats_available` and `total_price` where they apply. */
export type Problem = components['schemas']['ProblemDocument'];

/** `no_answer` is the client's own code: no answer of the platform has arrived. Later versions of the platform may add codes. */
export type ProblemCode = PlatformCode | 'no_answer';

export interface ErrorDetails {
  /** 0: no answer. */
  status: number;
  detail: string;
  problem?: Problem;
  retryAfterSeconds?: number;
  idempotencyKey?: string;
  cause?: unknown;
}

/** The only error that a call throws, except the reason of a signal that the caller has aborted. Decide by `code`. */
export class TourPlatformError extends Error {
  override readonly name = 'TourPlatformError';
  readonly code: ProblemCode;
  /** 0: no answer. */
  readonly status: number;
  readonly detail: string;
  /** Log it: the operator asks for it. Undefined: the platform has not answered. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The key that was sent. Send it again with a later repetition of the write. */
  readonly idempotencyKey: string | undefined;
  readonly problem: Problem | undefined;

  constructor({ status, detail, problem, retryAfterSeconds, idempotencyKey, cause }: ErrorDetails) {
    const code = (problem?.code ?? 'no_answer') as ProblemCode;
    super(`${code}: ${detail}`, { cause });
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.requestId = problem?.request_id;
    this.retryAfterSeconds = retryAfterSeconds;
    this.idempotencyKey = idempotencyKey;
    this.problem = problem;
  }

  /**
   * True: the same request may succeed later. A 409 can only if the platform says when (`departure_busy`, `idempotency_in_progress`); all
   * other 4xx but 429 stay as they are.
   */
  get retryable(): boolean {
    if (this.status === 409) return this.retryAfterSeconds !== undefined;
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}
