import type { AppError } from '../../platform/errors';
import { isProblemCode, type ProblemCode, PROBLEMS } from './problems';

/**
 * The problem document (RFC 9457) of a refusal, in the order of its members on the wire.
 * @param error undefined, or one that PROBLEMS does not know: a fault of ours, of which nothing is told
 */
export function describeProblem(error: AppError | undefined, publicBaseUrl: string, requestId: string) {
  const foreseen = error && isProblemCode(error.code) ? error : undefined;
  const code = (foreseen?.code ?? 'internal_error') as ProblemCode;
  const { status, title, retryable } = PROBLEMS[code];
  return {
    type: `${publicBaseUrl}/docs/errors/${code}`,
    title,
    status,
    detail: foreseen?.message ?? 'Something went wrong on our side. Retry with backoff.',
    instance: `urn:request:${requestId}`,
    ok: false,
    code,
    request_id: requestId,
    retryable,
    ...foreseen?.facts,
  };
}
