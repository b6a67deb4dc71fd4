import type { Db } from '../../platform/database/database';
import { erasedForm } from './erase-answers';
import { type ComparedRequest, fingerprintOf, isSameRequest, type RequestReading } from './fingerprint';
import { IdempotencyKeyReusedError } from './idempotency.errors';
import { type ClaimedKey, isTaken, type StoredAnswer } from './idempotency.repository';
import type { Operation } from './operation';

/** The answer of the first request: its status and the exact bytes of its body. */
export interface StoredResponse {
  status: number;
  body: string;
}

/** The stored answer of an earlier request with the same key. */
export class ReplayedResponse {
  /** @param keyFamily the family of the API key that got the answer. Null: unknown */
  constructor(
    readonly answer: StoredResponse,
    readonly keyFamily: string | null,
  ) {}
}

/**
 * Returns the answer of the earlier request with the key.
 * @throws IdempotencyKeyReusedError (422) if the earlier request was another one, or if its answer was erased with a person's data
 * @rule a repeated (duplicate) write gets the first answer: test/api/idempotency.long.test.ts
 */
export function replay(
  { fingerprint, status, answer, keyFamily }: StoredAnswer,
  request: ComparedRequest,
): ReplayedResponse {
  if (fingerprint === null || !isSameRequest(Buffer.from(fingerprint, 'hex'), request))
    throw new IdempotencyKeyReusedError();
  return new ReplayedResponse({ status, body: answer }, keyFamily);
}

/** The canonical ids of a request, so that a slug and a UUID are the same request. */
export type Subject = Record<string, string | null>;

/** A request with an Idempotency-Key, and the way in which its answer is stored. */
export interface IdempotentRequest<T> {
  tenantId: string;
  operation: Operation;
  key: string;
  /** Returns the validated body, as in ComparedRequest. */
  validated: (reading: RequestReading) => unknown;
  /** ISO 3166: the tenant's country. */
  phoneCountry: string;
  /** Hours for which the answer is stored. */
  keepHours: number;
  /** The family of the request's API key. Null: the desk has none. */
  keyFamily: string | null;
  /** CURSOR_KEY: the secret of the erased form of a key. */
  secret: string;
  /** Returns the bytes of the answer, inside the transaction. */
  toResponse: (result: T) => StoredResponse;
}

/**
 * Returns whether the key already has a stored answer, or one that was erased. A request with such a key is only replayed or refused, so
 * it does not have to queue for a departure.
 */
export async function isRepeat(db: Db, claim: ClaimedKey): Promise<boolean> {
  return isTaken(db, claim);
}

/** An Idempotency-Key that one request claims, and what is stored under it. */
export interface KeyClaim<T> extends ClaimedKey {
  request: ComparedRequest;
  fingerprint: Buffer;
  keepHours: number;
  keyFamily: string | null;
  /** Returns the bytes of the answer, inside the transaction. */
  toResponse(result: T): StoredResponse;
}

/** Creates the claim of a request's key. @param subject its canonical ids */
export function claimOf<T>(idempotent: IdempotentRequest<T>, subject: Subject): KeyClaim<T> {
  const { tenantId, operation, key, validated, phoneCountry, keepHours, keyFamily, secret, toResponse } =
    idempotent;
  const request: ComparedRequest = {
    phoneCountry,
    read: (reading) => ({ subject, body: validated(reading) }),
  };
  const erasedKey = erasedForm(secret, idempotent);
  const fingerprint = fingerprintOf(request);
  return { tenantId, operation, key, erasedKey, request, fingerprint, keepHours, keyFamily, toResponse };
}
