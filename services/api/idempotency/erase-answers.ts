import { createHmac } from 'node:crypto';
import type { Trx } from '../../platform/database/database';
import { eraseAnswer, eraseKey, findAnswers } from './idempotency.repository';
import { carriesPerson } from './operation';

export interface AnswersToErase {
  tenantId: string;
  /** The ids of the booking or hold whose answers are searched, by the name of the field in the answer: `{ booking_ref: 'ACME-1042' }` */
  named: Record<string, string>;
  /** Returns whether a text identifies the person. */
  identifiesPerson: (text: string) => boolean;
  /** CURSOR_KEY: the secret of the digest that replaces an Idempotency-Key which contains personal data. */
  secret: string;
}

/**
 * Searches the stored answers about a booking or hold. If the request or its answer contains the person's data, erases the fingerprint and
 * the answer. The Idempotency-Key stays taken, so that a late repeat is refused and does not run again. A key that itself identifies the
 * person is replaced by a digest.
 * @returns the number of keys whose answers were erased
 */
export async function eraseAnswers(
  trx: Trx,
  { tenantId, named, identifiesPerson, secret }: AnswersToErase,
): Promise<number> {
  const marks = Object.entries(named).map(([name, value]) => `"${name}":${JSON.stringify(value)}`);
  let erased = 0;
  for (const { operation, key, answer } of await findAnswers(trx, tenantId, marks)) {
    const claimed = { tenantId, operation, key };
    if (identifiesPerson(key)) await eraseKey(trx, { ...claimed, erasedKey: erasedForm(secret, claimed) });
    else if (carriesPerson(operation) || identifiesPerson(answer)) await eraseAnswer(trx, claimed);
    else continue;
    erased++;
  }
  return erased;
}

export interface NamedKey {
  tenantId: string;
  operation: string;
  key: string;
}

/**
 * Returns the digest that replaces an Idempotency-Key which contains personal data. With it, a late repeat is still recognised. The digest
 * depends on a secret, so that a reader of the table cannot test guesses.
 * @param secret CURSOR_KEY
 */
export function erasedForm(secret: string, { tenantId, operation, key }: NamedKey): string {
  const named = JSON.stringify(['idempotency key', tenantId, operation, key]);
  return `erased:${createHmac('sha256', secret).update(named).digest('base64url')}`;
}
