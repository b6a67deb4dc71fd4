import type { Request } from 'express';
import { inTransaction, type Trx, type Turn } from '../../platform/database';
import { requestIdOf } from '../../platform/http/request-id';
import { assertKeyStillServes } from '../credentials/verify-credential';
import {
  isRepeat,
  ReplayedResponse,
  type RunIdempotent,
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
  /** Waits before the request takes a connection. */
  turn?: Turn;
}

/** The refused write and its tenant. */
interface RefusedWrite {
  tenantId: string;
  operation: Operation;
  requestId: string;
}

/**
 * Runs one write request in one transaction, once for each Idempotency-Key. Stores the bytes of the answer with the effect,
 * and answers only after COMMIT.
 * @param onRefusal handles the error after the transaction; throws it again, or a better one
 */
export async function answerWrite<T, A>(
  request: Request,
  operation: WriteOperation,
  use: (trx: Trx, once: RunIdempotent<T>) => Promise<T | ReplayedResponse>,
  toAnswer: (result: T) => A,
  onRefusal: (refused: RefusedWrite, refusal: unknown) => Promise<never>,
): Promise<A> {
  setCaching(request, NO_STORE);
  const { name } = operation;
  const writing = runWrite(request, operation, use, toAnswer).catch(async (refusal: unknown) => {
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

interface WriteResult<T> {
  result: T | ReplayedResponse;
  /** One of the requests with the same key is `done`; the others are `replayed`. */
  outcome: 'done' | 'replayed';
}

async function runWrite<T, A>(
  request: Request,
  { name, status, keepHours, ids = [], turn }: WriteOperation,
  use: (trx: Trx, once: RunIdempotent<T>) => Promise<T | ReplayedResponse>,
  toAnswer: (result: T) => A,
): Promise<WriteResult<T>> {
  const tenantId = apiKeyPrincipalOf(request).tenant.id;
  const key = idempotencyKeyOf(request);
  if (key === undefined)
    return { result: await writeIdempotent(request, (trx) => use(trx, withoutKey), turn), outcome: 'done' };

  const { secrets, singleFlight } = contextOf(request);
  const idempotent = {
    tenantId,
    operation: name,
    key,
    body: without(ids, request.body),
    keepHours,
    secret: secrets.cursorKey,
  };
  const stored = (result: T) => ({ status, body: JSON.stringify(toAnswer(result)) });
  let outcome: 'done' | 'replayed' = 'replayed';
  const result = await singleFlight(`${tenantId} ${name} ${key}`, async () => {
    // A repeat takes no seats, so it does not queue for the departure.
    const repeats = await isRepeat(contextOf(request).db, idempotent);
    const own = await writeIdempotent(
      request,
      (trx) => use(trx, withIdempotencyKey<T>(trx, idempotent, stored)),
      repeats ? undefined : turn,
    );
    if (!(own instanceof ReplayedResponse)) outcome = 'done';
    return own;
  });
  return { result, outcome };
}

/**
 * Runs one write in one transaction. Checks the key again before COMMIT, because it may have been revoked while the request
 * received its body or waited for a lock.
 */
export async function writeIdempotent<T>(
  request: Request,
  work: (trx: Trx) => Promise<T>,
  turn: Turn = AT_ONCE,
): Promise<T> {
  const checked = async (trx: Trx) => {
    const result = await work(trx);
    await assertKeyStillServes(trx, apiKeyPrincipalOf(request));
    return result;
  };
  return turn((lockBy) => inTransaction(contextOf(request).writes, checked, lockBy));
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
