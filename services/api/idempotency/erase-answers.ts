import type { Trx } from '../../platform/database';
import { erasedForm } from './erased-key';
import { eraseAnswer, eraseKey, findAnswers } from './idempotency.repository';
import { carriesPerson } from './operation';

export interface AnswersToErase {
  tenantId: string;
  /** What the answers name, in wire names: `{ booking_ref: 'ACME-1042' }` */
  named: Record<string, string>;
  /** Does this text say who the person is? */
  tellsOf: (text: string) => boolean;
  /** CURSOR_KEY: keys what is kept of a key that says it. */
  secret: string;
}

/**
 * Erases what was kept of requests about a booking or hold: fingerprint and answer of those that carried the person's data,
 * or that repeat it. The key stays taken, so that a late repeat is refused and not done a second time; one that is itself the
 * person's data stays as a keyed digest.
 * @returns how many keys
 */
export async function eraseAnswers(
  trx: Trx,
  { tenantId, named, tellsOf, secret }: AnswersToErase,
): Promise<number> {
  const marks = Object.entries(named).map(([name, value]) => `"${name}":${JSON.stringify(value)}`);
  let erased = 0;
  for (const { operation, key, answer } of await findAnswers(trx, tenantId, marks)) {
    const claimed = { tenantId, operation, key };
    if (tellsOf(key)) await eraseKey(trx, { ...claimed, erasedKey: erasedForm(secret, claimed) });
    else if (carriesPerson(operation) || tellsOf(answer)) await eraseAnswer(trx, claimed);
    else continue;
    erased++;
  }
  return erased;
}
