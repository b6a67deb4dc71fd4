import { createHash } from 'node:crypto';
import type { Trx } from '../../platform/database';
import { erasedForm } from './erased-key';
import { IdempotencyKeyReusedError } from './idempotency.errors';
import { claimKey, storeAnswer } from './idempotency.repository';
import type { Operation } from './operation';

/** What the first request was answered with: status and the very bytes of its body. */
export interface StoredAnswer {
  status: number;
  body: string;
}

/** An answer that was given before, found under the request's key. */
export class Replay {
  constructor(readonly answer: StoredAnswer) {}
}

/**
 * Runs `effect` once for all requests with the same key, and else hands out the first one's answer. A use case calls it
 * when its 404s are judged and before it takes a lock: the key's row is the first in the lock order.
 * @param subject canonical ids that the request names, so that a slug and a UUID are the same request
 */
export type Once<T> = (subject: Record<string, unknown>, effect: () => Promise<T>) => Promise<T | Replay>;

/** For callers without a key: the effect runs each time. */
export async function always<T>(_subject: Record<string, unknown>, effect: () => Promise<T>): Promise<T> {
  return effect();
}

export interface IdempotentRequest {
  tenantId: string;
  operation: Operation;
  key: string;
  /** The validated body as it was sent. */
  body: unknown;
  keepHours: number;
  /** CURSOR_KEY: keys the erased form of a key. */
  secret: string;
}

/**
 * Once, by the request's Idempotency-Key: the key's row, the effect and the stored answer commit together or not at all,
 * so a crash at any instant leaves both or neither. Only success is stored: what throws takes the row back with it.
 * @param toAnswer the answer's bytes, made inside the transaction
 */
export function onceByKey<T>(
  trx: Trx,
  request: IdempotentRequest,
  toAnswer: (result: T) => StoredAnswer,
): Once<T> {
  return async (subject, effect) => {
    const fingerprint = createHash('sha256')
      .update(canonicalJson({ subject, body: request.body }))
      .digest();
    const claimed = { ...request, erasedKey: erasedForm(request.secret, request) };
    const earlier = await claimKey(trx, claimed, fingerprint);
    if (earlier) {
      if (!earlier.fingerprint?.equals(fingerprint)) throw new IdempotencyKeyReusedError();
      return new Replay({ status: earlier.status, body: earlier.answer });
    }
    const result = await effect();
    await storeAnswer(trx, claimed, toAnswer(result));
    return result;
  };
}

/** Equal for equal JSON values, whatever the order of their keys. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
