import type { Request } from 'express';
import { AppError } from '../../platform/errors';
import { requestIdOf } from '../../platform/http/request-log';
import { traceparentOf } from '../../platform/traces';
import { mayReadBookings } from '../credentials/credential';
import { claimOf, isRepeat, ReplayedResponse } from '../idempotency/key-claim';
import { type RefusedRequest, refuseWithAlternatives } from '../refusals/refusal-log';
import type { SalesContext } from '../sales-context';
import { perform, replayOrRefuse } from '../seats/perform';
import type { SeatChange, Seller } from '../seats/seat-change';
import { apiKeyPrincipalOf } from './authentication';
import { NO_STORE, setCaching } from './caching';
import { problemCodeOf } from './error-handler';
import { PROBLEMS } from './problems';
import { countWrite } from './request-log';
import { idempotentRequest, markReplayed, type Write } from './write-request';

/** A change of seats that a request asks for. */
interface RequestedChange<Result, Answer> {
  operation: Write;
  /** Builds the change: placeHold, extendHold, cancelBooking … (seats/changes/) */
  prepare(seller: Seller<Result>): Promise<SeatChange<Result>>;
  toAnswer(result: Result): Answer;
  /** Returns the stored answer of another key, for a key that may not read the people in it. */
  withoutPeople(answer: Answer): Answer;
  /** Returns what the request names, for the log of refusals. Null: the refusal is not recorded, and names no other departures. */
  named(refusal: unknown): Partial<RefusedRequest> | null;
}

/**
 * Performs the change of seats that a request asks for, and returns its answer. All requests with the same Idempotency-Key have one effect
 * together: every later request gets the stored bytes of the first answer, before the tenant's limits, visibility and the tour are asked. In
 * this process, requests with the same key run one after another. A repeat by another API key that may not read bookings gets the answer
 * without its people.
 * @throws the errors of `prepare` and perform; IdempotencyKeyReusedError (422)
 */
export async function performRequest<Result, Answer>(
  context: SalesContext,
  request: Request,
  change: RequestedChange<Result, Answer>,
): Promise<Answer> {
  setCaching(request, NO_STORE);
  const { operation, toAnswer, named } = change;
  const { name } = operation;
  const result = await resultForKey(context, request, change).catch(async (refusal: unknown) => {
    countWrite(name, problemCodeOf(refusal));
    const refused = named(refusal);
    if (!refused) throw refusal;
    const tenantId = apiKeyPrincipalOf(request).tenant.id;
    const attempt = { ...refused, tenantId, operation: name, requestId: requestIdOf(request) };
    return refuseWithAlternatives(context, attempt, refusal);
  });
  countWrite(name, result instanceof ReplayedResponse ? 'replayed' : 'done');
  if (!(result instanceof ReplayedResponse)) return toAnswer(result);
  const stored = markReplayed<Answer>(request, result);
  const principal = apiKeyPrincipalOf(request);
  const isOwn = result.keyFamily === principal.familyId;
  return isOwn || mayReadBookings(principal) ? stored : change.withoutPeople(stored);
}

/** Returns the result of the change, which is performed once for all requests with its Idempotency-Key. */
async function resultForKey<Result, Answer>(
  context: SalesContext,
  request: Request,
  { operation, prepare, toAnswer }: RequestedChange<Result, Answer>,
): Promise<Result | ReplayedResponse> {
  const principal = apiKeyPrincipalOf(request);
  const { tenant } = principal;
  const keyed = idempotentRequest(request, operation, toAnswer);
  const claim = keyed && claimOf(keyed, await operation.subject());
  const seller = { tenant, principal, claim, traceparent: traceparentOf(request) };
  const write = () => perform(context, () => prepare(seller));
  if (!claim) return write();
  return context.inTurn(`${tenant.id} ${operation.name} ${claim.key}`, async () => {
    try {
      return await write();
    } catch (refusal) {
      if (!mayPrecedeLookUp(refusal) || !(await isRepeat(context.db, claim))) throw refusal;
      return replayOrRefuse(context.changes, seller, refusal);
    }
  });
}

/**
 * Returns whether a request may be refused this way before its stored answer was looked for. The engine looks for it under the locks,
 * without a further statement, but `prepare` checks the tenant's limits and what the request names before that. Each 409 comes after the
 * look-up, except departure_busy of a request that waited in the queue for two seconds.
 * @rule a stored answer comes before limits and the 404s: test/api/stored-answers.long.test.ts
 */
function mayPrecedeLookUp(refusal: unknown): refusal is AppError {
  if (!(refusal instanceof AppError)) return false;
  const code = problemCodeOf(refusal);
  return code === 'departure_busy' || [400, 404].includes(PROBLEMS[code].status);
}
