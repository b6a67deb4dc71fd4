import type { Request } from 'express';
import { inTransaction, type Trx, type Turn } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import { requestIdOf } from '../../platform/http/request-log';
import { setTransactionTrace, traceparentOf } from '../../platform/traces';
import type { ApiKeyPrincipal } from '../credentials/credential';
import { lockKeyForUse } from '../credentials/verify-credential';
import {
  isRepeat,
  ReplayedResponse,
  type IdempotentRequest,
  type RunIdempotent,
  withIdempotencyKey,
  withoutKey,
} from '../idempotency/run-idempotent';
import type { Operation } from '../idempotency/operation';
import { contextOf } from './api-context';
import { apiKeyPrincipalOf } from './authentication';
import { NO_STORE, setCaching } from './caching';
import { countWrite } from './request-log';
import { problemCodeOf } from './error-handler';
import { badInput } from './http.errors';
import { PROBLEMS } from './problems';

const REPLAYED = 'Idempotent-Replayed';

const AT_ONCE: Turn = (work) => work();

export interface WriteOperation {
  name: Operation;
  /** The status of the answer, also to a repeated request. */
  status: number;
  /** Hours for which the answer is stored. A repeat within this time gets the stored answer; a later repeat runs again. */
  keepHours: number;
  /**
   * Fields of the body that name a tour or a hold. They are left out when bodies are compared, because the canonical ids are compared
   * instead.
   */
  ids?: string[];
}

/** One request of an operation. */
export interface Write extends WriteOperation, Pick<IdempotentRequest<never>, 'subject'> {
  /**
   * Reads the validated body again, without defaults of the tenant. Another spelling of the same request gives an equal value.
   * @param phoneCountry the country of phone numbers without a country code
   */
  validated: (phoneCountry: string) => unknown;
  /**
   * Puts the write into the queue of its departures before the transaction starts, so that a waiting request takes no database connection.
   */
  turn?: Turn;
}

/** The refused write and its tenant. */
interface RefusedWrite {
  tenantId: string;
  operation: Operation;
  requestId: string;
}

type OnRefusal = (refused: RefusedWrite, refusal: unknown) => Promise<never>;

/**
 * Answers a write request. All requests with the same Idempotency-Key have one effect together: every later request gets the stored bytes
 * of the first answer, before the tenant's limits, visibility and the tour are asked. In this process, requests with the same key run one
 * after another.
 * @param write commits the effect, and stores its answer under the key. Gets null if the request has no key
 * @param onRefusal handles the error after the transaction, and throws it again or throws a more helpful one
 */
export async function answerOnce<T, A>(
  request: Request,
  operation: Write,
  write: (keyed: IdempotentRequest<T> | null) => Promise<T | ReplayedResponse>,
  toAnswer: (result: T) => A,
  onRefusal: OnRefusal,
): Promise<A> {
  setCaching(request, NO_STORE);
  const { name } = operation;
  const tenantId = apiKeyPrincipalOf(request).tenant.id;
  const { singleFlight } = contextOf(request);
  let result: T | ReplayedResponse;
  try {
    const keyed = keyedRequest(request, operation, toAnswer);
    result = await (keyed
      ? singleFlight(`${tenantId} ${name} ${keyed.key}`, () => replayOrRefuse(request, keyed, write))
      : write(null));
  } catch (refusal) {
    countWrite(name, problemCodeOf(refusal));
    return onRefusal({ tenantId, operation: name, requestId: requestIdOf(request) }, refusal);
  }
  if (!(result instanceof ReplayedResponse)) {
    countWrite(name, 'done');
    return toAnswer(result);
  }
  countWrite(name, 'replayed');
  request.res!.setHeader(REPLAYED, 'true');
  // Parses the stored text. JSON.stringify later produces the same bytes again, because both keep the order of the keys.
  return JSON.parse(result.answer.body) as A;
}

/**
 * Runs a write with a key. The write itself looks for a stored answer under its locks, without a further statement, but it judges the
 * tenant's limits and what the request names before that. If it refuses there, looks for the stored answer, which comes first.
 */
async function replayOrRefuse<T>(
  request: Request,
  keyed: IdempotentRequest<T>,
  write: (keyed: IdempotentRequest<T>) => Promise<T | ReplayedResponse>,
): Promise<T | ReplayedResponse> {
  try {
    return await write(keyed);
  } catch (refusal) {
    if (!mayPrecedeLookUp(refusal) || !(await isRepeat(contextOf(request).db, keyed))) throw refusal;
    const refuse = () => Promise.reject<T>(refusal);
    // Reads the answer in a transaction, so that COMMIT waits for the standby (docs/failover.md).
    return writeChecked(request, (trx) => withIdempotencyKey(trx, keyed)(refuse));
  }
}

/**
 * Returns whether a write may refuse a request this way before it has looked for a stored answer. Each 409 comes after the look-up, except
 * departure_busy of a request that waited in the queue for two seconds.
 */
function mayPrecedeLookUp(refusal: unknown): refusal is AppError {
  if (!(refusal instanceof AppError)) return false;
  const code = problemCodeOf(refusal);
  return code === 'departure_busy' || [400, 404].includes(PROBLEMS[code].status);
}

/**
 * Answers a request that changes a hold or a booking, like answerOnce. Runs the change in one transaction of its own.
 * @param use makes the change, for the caller that writeChecked returns
 */
export async function answerChange<T, A>(
  request: Request,
  operation: Write,
  use: (
    trx: Trx,
    principal: ApiKeyPrincipal,
    runIdempotent: RunIdempotent<T>,
  ) => Promise<T | ReplayedResponse>,
  toAnswer: (result: T) => A,
  onRefusal: OnRefusal,
): Promise<A> {
  const change = async (keyed: IdempotentRequest<T> | null) => {
    // Does not queue a repeated request, because a repeat locks no departure.
    const repeats = keyed && operation.turn && (await isRepeat(contextOf(request).db, keyed));
    return writeChecked(
      request,
      (trx, principal) => use(trx, principal, keyed ? withIdempotencyKey<T>(trx, keyed) : withoutKey),
      repeats ? AT_ONCE : operation.turn,
    );
  };
  return answerOnce(request, operation, change, toAnswer, onRefusal);
}

/** Returns whether the answer is the stored one of an earlier request. */
export function isReplayed(request: Request): boolean {
  return request.res!.hasHeader(REPLAYED);
}

/** Returns the request's Idempotency-Key and what is stored with it; null if the request has no key. @throws BadInputError (400) */
function keyedRequest<T, A>(
  request: Request,
  { name, status, keepHours, ids = [], subject, validated }: Write,
  toAnswer: (result: T) => A,
): IdempotentRequest<T> | null {
  const key = idempotencyKeyOf(request);
  if (key === undefined) return null;
  const { id: tenantId, country: phoneCountry } = apiKeyPrincipalOf(request).tenant;
  return {
    tenantId,
    operation: name,
    key,
    subject,
    body: without(ids, request.body),
    validated,
    phoneCountry,
    keepHours,
    secret: contextOf(request).secrets.cursorKey,
    toResponse: (result) => ({ status, body: JSON.stringify(toAnswer(result)) }),
  };
}

/**
 * Runs one write in one transaction. First locks the API key and the tenant for use until COMMIT and verifies the key again, because it may
 * have been revoked since the request began. Every write of a route runs here, except the sales, which lock and check in seats/lock.ts.
 * The lock takes no round trip of its own: it is sent with BEGIN.
 * @param work gets the caller with its present tenant and scopes
 * @throws CredentialError (401)
 */
export async function writeChecked<T>(
  request: Request,
  work: (trx: Trx, principal: ApiKeyPrincipal) => Promise<T>,
  turn: Turn = AT_ONCE,
): Promise<T> {
  const traceparent = traceparentOf(request);
  const checked = async (trx: Trx) => {
    setTransactionTrace(trx, traceparent);
    return work(trx, await lockKeyForUse(trx, apiKeyPrincipalOf(request)));
  };
  const { writes } = contextOf(request);
  return turn((lockBy) => inTransaction(writes, checked, { lockBy, beginsWithFirst: true }));
}

function without(ids: string[], body: unknown): unknown {
  return Object.fromEntries(
    Object.entries((body as object | undefined) ?? {}).filter(([field]) => !ids.includes(field)),
  );
}

/** Reads the Idempotency-Key, with or without the quotation marks of the draft standard. */
function idempotencyKeyOf(request: Request): string | undefined {
  const header = request.get('idempotency-key');
  if (header === undefined) return undefined;
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw badInput(
    'invalid_idempotency_key',
    'header',
    'Idempotency-Key',
    'must be 1 to 255 visible ASCII characters',
  );
}
