import type { Request } from 'express';
import { inTransaction, type Trx, type Turn } from '../../platform/database';
import { requestIdOf } from '../../platform/http/request-id';
import { assertKeyStillServes } from '../credentials/verify-credential';
import {
  claimOf,
  type KeyClaim,
  isRepeat,
  ReplayedResponse,
  type IdempotentRequest,
  type RunIdempotent,
  type StoredResponse,
  withIdempotencyKey,
  withoutKey,
} from '../idempotency/run-idempotent';
import type { Operation } from '../idempotency/operation';
import { contextOf } from './api-context';
import { apiKeyPrincipalOf } from './authentication';
import { NO_STORE, setCaching } from './caching';
import { countWrite } from './request-metrics';
import { problemCodeOf } from './error-handler';
import { badInput } from './http.errors';

const AT_ONCE: Turn = (work) => work();

export interface WriteOperation {
  name: Operation;
  /** Status of the answer, also for a repeated request. */
  status: number;
  /** Hours for which the answer is stored: a repeat within them gets this answer, a later one runs again. */
  keepHours: number;
  /** Ids in the body that may have two forms: a slug and a UUID are the same request. */
  ids?: string[];
}

/** One request of an operation. */
export interface Write extends WriteOperation {
  /**
   * Reads the validated body again, without defaults of the tenant: another spelling of the same request gives an equal value.
   * @param phoneCountry of phone numbers without a country code
   */
  validated: (phoneCountry: string) => unknown;
  /** Waits before the request takes a connection. */
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
 * Runs one write request in one transaction, once for each Idempotency-Key. Stores the bytes of the answer with the effect,
 * and answers only after COMMIT.
 * @param onRefusal handles the error after the transaction; throws it again, or a better one
 */
export async function answerWrite<T, A>(
  request: Request,
  operation: Write,
  use: (trx: Trx, once: RunIdempotent<T>) => Promise<T | ReplayedResponse>,
  toAnswer: (result: T) => A,
  onRefusal: OnRefusal,
): Promise<A> {
  const write = async (key: IdempotentRequest | undefined, toResponse: (result: T) => StoredResponse) => {
    // A repeat locks no departure, so it does not wait for its turn.
    const repeats = key && operation.turn && (await isRepeat(contextOf(request).db, key));
    return writeChecked(
      request,
      (trx) => use(trx, key ? withIdempotencyKey<T>(trx, key, toResponse) : withoutKey),
      repeats ? AT_ONCE : operation.turn,
    );
  };
  return answerOnce(request, operation, write, toAnswer, onRefusal);
}

/** Creates the claim of the request's key; null without a key. @param subject the canonical ids, as in RunIdempotent */
export type ClaimFor<T> = (subject: Record<string, unknown>) => KeyClaim<T> | null;

/**
 * Answers like answerWrite a request that creates a hold or a booking.
 * @param create commits the effect with the answer of the claim
 */
export async function answerCreation<T, A>(
  request: Request,
  operation: Write,
  create: (claimFor: ClaimFor<T>) => Promise<T | ReplayedResponse>,
  toAnswer: (result: T) => A,
  onRefusal: OnRefusal,
): Promise<A> {
  const write = (key: IdempotentRequest | undefined, toResponse: (result: T) => StoredResponse) =>
    create((subject) => (key ? claimOf(key, subject, toResponse) : null));
  return answerOnce(request, operation, write, toAnswer, onRefusal);
}

async function answerOnce<T, A>(
  request: Request,
  operation: Write,
  write: RunWrite<T>,
  toAnswer: (result: T) => A,
  onRefusal: OnRefusal,
): Promise<A> {
  setCaching(request, NO_STORE);
  const { name } = operation;
  const writing = runOnce(request, operation, write, toAnswer).catch(async (refusal: unknown) => {
    countWrite(name, problemCodeOf(refusal));
    const tenantId = apiKeyPrincipalOf(request).tenant.id;
    return onRefusal({ tenantId, operation: name, requestId: requestIdOf(request) }, refusal);
  });
  const { result, outcome } = await writing;
  countWrite(name, outcome);
  if (!(result instanceof ReplayedResponse)) return toAnswer(result);
  request.res!.setHeader('Idempotent-Replayed', 'true');
  // JSON.stringify restores the stored bytes from the parsed text, with the same order of keys.
  return JSON.parse(result.answer.body) as A;
}

type RunWrite<T> = (
  key: IdempotentRequest | undefined,
  toResponse: (result: T) => StoredResponse,
) => Promise<T | ReplayedResponse>;

interface WriteResult<T> {
  result: T | ReplayedResponse;
  /** One of the requests with the same key is `done`; the others are `replayed`. */
  outcome: 'done' | 'replayed';
}

async function runOnce<T, A>(
  request: Request,
  { name, status, keepHours, ids = [], validated }: Write,
  write: RunWrite<T>,
  toAnswer: (result: T) => A,
): Promise<WriteResult<T>> {
  const toResponse = (result: T) => ({ status, body: JSON.stringify(toAnswer(result)) });
  const key = idempotencyKeyOf(request);
  if (key === undefined) return { result: await write(undefined, toResponse), outcome: 'done' };

  const { secrets, singleFlight } = contextOf(request);
  const { id: tenantId, country: phoneCountry } = apiKeyPrincipalOf(request).tenant;
  const idempotent = {
    tenantId,
    operation: name,
    key,
    body: without(ids, request.body),
    validated,
    phoneCountry,
    keepHours,
    secret: secrets.cursorKey,
  };
  let outcome: 'done' | 'replayed' = 'replayed';
  const result = await singleFlight(`${tenantId} ${name} ${key}`, async () => {
    const own = await write(idempotent, toResponse);
    if (!(own instanceof ReplayedResponse)) outcome = 'done';
    return own;
  });
  return { result, outcome };
}

/**
 * Runs one write in one transaction. Checks the key again before COMMIT, because it may have been revoked while the request
 * received its body or waited for a lock.
 */
export async function writeChecked<T>(
  request: Request,
  work: (trx: Trx) => Promise<T>,
  turn: Turn = AT_ONCE,
): Promise<T> {
  const checked = async (trx: Trx) => {
    const result = await work(trx);
    await assertKeyStillServes(trx, apiKeyPrincipalOf(request));
    return result;
  };
  return turn((lockBy) => inTransaction(contextOf(request).writes, checked, { lockBy }));
}

function without(ids: string[], body: unknown): unknown {
  return Object.fromEntries(
    Object.entries((body as object | undefined) ?? {}).filter(([field]) => !ids.includes(field)),
  );
}

/** Reads the key, bare or quoted as in the draft standard. */
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
