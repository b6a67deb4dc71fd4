import { createHmac } from 'node:crypto';
import type { Trx } from '../../platform/database';
import { eraseAnswer, eraseKey, findAnswers } from './idempotency.repository';
import { carriesPerson } from './operation';

export interface AnswersToErase {
  tenantId: string;
  /** The ids that the answers contain, by wire name: `{ booking_ref: 'ACME-1042' }` */
  named: Record<string, string>;
  /** Returns whether a text identifies the person. */
  identifiesPerson: (text: string) => boolean;
  /** CURSOR_KEY: keys the digest that replaces a key with personal data. */
  secret: string;
}

/**
 * Erases the stored requests about a booking or hold: the fingerprint and answer of those whose request or answer contains the
 * person's data. The key stays taken, so that a late repeat is refused and does not run again; a key that identifies the person
 * is replaced by a keyed digest.
 * @returns how many keys
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
 * Returns the digest that replaces a key with personal data, so that a late repeat is still recognised. It is keyed, so that a
 * reader of the table cannot test guesses.
 * @param secret CURSOR_KEY
 */
export function erasedForm(secret: string, { tenantId, operation, key }: NamedKey): string {
  const named = JSON.stringify(['idempotency key', tenantId, operation, key]);
  return `erased:${createHmac('sha256', secret).update(named).digest('base64url')}`;
}
