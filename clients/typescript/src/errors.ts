import type { components, ProblemCode as PlatformCode } from './openapi.ts';

/** The document of a refusal (RFC 9457), with `errors`, `alternatives`, `seats_available` and `total_price` where they apply. */
export type Problem = components['schemas']['ProblemDocument'];

/** `no_answer` is the client's own code: no response of the platform has arrived. Later versions of the platform may add codes. */
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

/** The only error that a call throws, except the abort reason of the caller's own signal. Decide by `code`. */
export class TourPlatformError extends Error {
  override readonly name = 'TourPlatformError';
  readonly code: ProblemCode;
  /** 0: no answer. */
  readonly status: number;
  readonly detail: string;
  /** The id of the request. Log it, because the operator asks for this id. Undefined: the platform has not answered. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The Idempotency-Key that was sent. Send the same key if you repeat the write later. */
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
   * True: the same request may succeed later. For a 409 this is true only if the platform says when (`departure_busy`,
   * `idempotency_in_progress`). For any other 4xx except 429 it is false.
   */
  get retryable(): boolean {
    if (this.status === 409) return this.retryAfterSeconds !== undefined;
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}
