import type { Trx } from '../../platform/database';
import { deleteKey, eraseAnswer, findAnswers } from './idempotency.repository';

/** Operations whose request has a person in it: the fingerprint of its body tells who was guessed right. */
const WITH_PERSON = ['booking.create', 'hold.place'];

/**
 * Erases what was kept of requests about a booking or hold: fingerprint and answer of those that carried the person's data,
 * or that repeat it. The key stays taken, so that a late repeat is refused and not done a second time; one that is itself the
 * person's data goes.
 * @param named what the answers name, in wire names: `{ booking_ref: 'ACME-1042' }`
 * @param tellsOf does this text say who the person is?
 * @returns how many keys
 */
export async function eraseAnswers(
  trx: Trx,
  tenantId: string,
  named: Record<string, string>,
  tellsOf: (text: string) => boolean,
): Promise<number> {
  const marks = Object.entries(named).map(([name, value]) => `"${name}":${JSON.stringify(value)}`);
  let erased = 0;
  for (const { operation, key, answer } of await findAnswers(trx, tenantId, marks)) {
    const claimed = { tenantId, operation, key };
    if (tellsOf(key)) await deleteKey(trx, claimed);
    else if (WITH_PERSON.includes(operation) || tellsOf(answer)) await eraseAnswer(trx, claimed);
    else continue;
    erased++;
  }
  return erased;
}
