import type { Request } from 'express';
import { inTransaction, type Trx } from '../../platform/database/database';
import { setTransactionTrace, traceparentOf } from '../../platform/traces';
import type { ApiKeyPrincipal } from '../credentials/credential';
import { assertStillServes, lockKeyForUse } from '../credentials/verify-credential';
import type { RequestReading } from '../idempotency/fingerprint';
import type { IdempotentRequest, ReplayedResponse, Subject } from '../idempotency/key-claim';
import type { Operation } from '../idempotency/operation';
import { contextOf } from './api-context';
import { apiKeyPrincipalOf } from './authentication';
import { badInput } from './http.errors';

const REPLAYED = 'Idempotent-Replayed';

export interface WriteOperation {
  name: Operation;
  /** The status of the answer, also to a repeated request. */
  status: number;
  /** Hours for which the answer is stored. A repeat within this time gets the stored answer; a later repeat runs again. */
  keepHours: number;
}

/** One request of an operation. */
export interface Write extends WriteOperation {
  /** Returns the canonical ids, also of a tour that the tenant does not see: a stored answer comes before visibility. */
  subject: () => Subject | Promise<Subject>;
  /**
   * Reads the validated body again, without defaults of the tenant. Another spelling of the same request gives an equal value.
   */
  validated: (reading: RequestReading) => unknown;
}

/** Marks the answer as the stored one of an earlier request, and returns its body. */
export function markReplayed<A>(request: Request, { answer }: ReplayedResponse): A {
  request.res!.setHeader(REPLAYED, 'true');
  // Parses the stored text. JSON.stringify later produces the same bytes again, because both keep the order of the keys.
  return JSON.parse(answer.body) as A;
}

/** Returns whether the answer is the stored one of an earlier request. */
export function isReplayed(request: Request): boolean {
  return request.res!.hasHeader(REPLAYED);
}

/** Returns the request's Idempotency-Key and what is stored with it; null if the request has no key. @throws BadInputError (400) */
export function idempotentRequest<T, A>(
  request: Request,
  { name, status, keepHours, validated }: Write,
  toAnswer: (result: T) => A,
): IdempotentRequest<T> | null {
  const key = idempotencyKeyOf(request);
  if (key === undefined) return null;
  const { tenant, familyId: keyFamily } = apiKeyPrincipalOf(request);
  const { id: tenantId, country: phoneCountry } = tenant;
  return {
    tenantId,
    operation: name,
    key,
    validated,
    phoneCountry,
    keepHours,
    keyFamily,
    secret: contextOf(request).secrets.cursorKey,
    toResponse: (result) => ({ status, body: JSON.stringify(toAnswer(result)) }),
  };
}

/**
 * Runs one write that changes no seats in one transaction. First locks the API key and the tenant for use until COMMIT and verifies the key
 * again, because it may have been revoked since the request began. Verifies it once more before COMMIT, because `work` may wait for locks for
 * two seconds, and the key may expire meanwhile. (A change of seats locks and checks in seats/lock.ts.)
 * @param work gets the caller with its present tenant and scopes
 * @throws CredentialError (401)
 */
export async function writeChecked<T>(
  request: Request,
  work: (trx: Trx, principal: ApiKeyPrincipal) => Promise<T>,
): Promise<T> {
  const traceparent = traceparentOf(request);
  const checked = async (trx: Trx) => {
    setTransactionTrace(trx, traceparent);
    const principal = await lockKeyForUse(trx, apiKeyPrincipalOf(request));
    const result = await work(trx, principal);
    await assertStillServes(trx, principal);
    return result;
  };
  return inTransaction(contextOf(request).writes, checked);
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
