import type { Request } from 'express';
import { traceparentOf } from '../../platform/traces';
import { apiKeyPrincipalOf } from '../http/authentication';
import { answerOnce, type Write } from '../http/write-request';
import { claimOf } from '../idempotency/run-idempotent';
import { type RefusedRequest, refuseWithAlternatives } from '../refusals/refusal-log';
import type { SalesContext } from '../sales-context';
import { perform } from '../seats/perform';
import type { Seller } from '../seats/sale';
import type { StoredChange } from '../seats/stored-change';

/** A change of a stored hold or booking that a request asks for. */
interface RequestedChange<Result, Answer> {
  operation: Write;
  /** Builds the change: extendHold, cancelBooking … */
  prepare(seller: Seller<Result>): Promise<StoredChange<Result>>;
  toAnswer(result: Result): Answer;
  /** The hold or booking that the request names, for the log of refusals. */
  named: Partial<RefusedRequest>;
}

/** Performs the change of a request once for all requests with the same Idempotency-Key, and returns its answer. */
export async function performChange<Result, Answer>(
  context: SalesContext,
  request: Request,
  { operation, prepare, toAnswer, named }: RequestedChange<Result, Answer>,
): Promise<Answer> {
  const principal = apiKeyPrincipalOf(request);
  const { tenant } = principal;
  const traceparent = traceparentOf(request);
  return answerOnce<Result, Answer>(
    request,
    operation,
    async (keyed) => {
      const claim = keyed && claimOf(keyed, await operation.subject(context.db));
      return perform(context, () => prepare({ tenant, principal, claim, traceparent }));
    },
    toAnswer,
    (refused, refusal) => refuseWithAlternatives(context, { ...named, ...refused }, refusal),
  );
}
