import type { Request } from 'express';
import { inTransaction, type Trx } from '../../platform/database';
import { requestIdOf } from '../../platform/request-id';
import { assertKeyStillServes } from '../credentials/verify-api-key';
import { always, type Once, onceByKey, Replay } from '../idempotency/once';
import type { Operation } from '../idempotency/operation';
import { singleFlight } from '../idempotency/single-flight';
import { contextOf } from './api-context';
import { apiKeyPrincipalOf } from './authentication';
import { NO_STORE, setCaching } from './caching';
import { countWrite } from './count-outcomes';
import { problemCodeOf } from './error-handler';
import { badInput } from './http.errors';

export interface WriteOperation {
  name: Operation;
  /** Of the answer; a repeat gets the same. */
  status: number;
  /** How long a repeat is recognised. */
  keepHours: number;
  /** Fields of the body that the use case's subject names canonically: a slug and a UUID are the same request. */
  ids?: string[];
}

/** Which write was refused, and whose. */
export interface RefusedWrite {
  tenantId: string;
  operation: Operation;
  requestId: string;
}

/**
 * Runs one write request: one transaction, once for each Idempotency-Key, and the answer's bytes stored with the effect.
 * The answer is only handed out after COMMIT.
 * @param onRefusal called when the transaction is over, with whatever it threw; throws that on, or what is to be told instead
 */
export async function answerWrite<T, A>(
  request: Request,
  operation: WriteOperation,
  use: (trx: Trx, once: Once<T>) => Promise<T | Replay>,
  toAnswer: (result: T) => A,
  onRefusal: (refused: RefusedWrite, refusal: unknown) => Promise<never>,
): Promise<A> {
  setCaching(request, NO_STORE);
  const { name } = operation;
  const settling = settleWrite(request, operation, use, toAnswer).catch(async (refusal: unknown) => {
    countWrite(name, problemCodeOf(refusal));
    const tenantId = apiKeyPrincipalOf(request).tenant.id;
    return onRefusal({ tenantId, operation: name, requestId: requestIdOf(request) }, refusal);
  });
  const { result, outcome } = await settling;
  countWrite(name, outcome);
  if (!(result instanceof Replay)) return toAnswer(result);
  request.res!.setHeader('Idempotent-Replayed', 'true');
  // Written again from the parsed text: JSON.stringify gives back the bytes it once wrote, the order of keys included.
  return JSON.parse(result.answer.body) as A;
}

interface SettledWrite<T> {
  result: T | Replay;
  /** Of the requests that share a key one has done it. */
  outcome: 'done' | 'replayed';
}

async function settleWrite<T, A>(
  request: Request,
  { name, status, keepHours, ids = [] }: WriteOperation,
  use: (trx: Trx, once: Once<T>) => Promise<T | Replay>,
  toAnswer: (result: T) => A,
): Promise<SettledWrite<T>> {
  const tenantId = apiKeyPrincipalOf(request).tenant.id;
  const key = idempotencyKeyOf(request);
  if (key === undefined)
    return { result: await writeOnce(request, (trx) => use(trx, always)), outcome: 'done' };

  const { cursorKey: secret } = contextOf(request).secrets;
  const idempotent = { tenantId, operation: name, key, body: without(ids, request.body), keepHours, secret };
  const stored = (result: T) => ({ status, body: JSON.stringify(toAnswer(result)) });
  let outcome: 'done' | 'replayed' = 'replayed';
  const result = await singleFlight(`${tenantId} ${name} ${key}`, async () => {
    const own = await writeOnce(request, (trx) => use(trx, onceByKey<T>(trx, idempotent, stored)));
    if (!(own instanceof Replay)) outcome = 'done';
    return own;
  });
  return { result, outcome };
}

/**
 * One write in one transaction. The key is judged once more at its end: while the body came in or a lock was waited for,
 * it may have been revoked, and what was revoked writes nothing.
 */
export async function writeOnce<T>(request: Request, work: (trx: Trx) => Promise<T>): Promise<T> {
  return inTransaction(contextOf(request).writes, async (trx) => {
    const result = await work(trx);
    await assertKeyStillServes(trx, apiKeyPrincipalOf(request));
    return result;
  });
}

function without(ids: string[], body: unknown): unknown {
  return Object.fromEntries(
    Object.entries((body as object | undefined) ?? {}).filter(([field]) => !ids.includes(field)),
  );
}

/** A bare token, or a quoted one as the draft standard writes it. */
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
