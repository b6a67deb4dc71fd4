import { isDeepStrictEqual } from 'node:util';
import type { Trx } from '../../../platform/database/database';
import { assertNotMoved, SaleChangedError } from '../../departures/check-seats';
import { eraseHoldCustomer } from '../../holds/change-hold';
import { getHold } from '../../holds/find-hold';
import { HoldStateConflictError } from '../../holds/hold.errors';
import { peopleOfHold, type SeatHold } from '../../holds/seat-hold';
import { eraseAnswers } from '../../idempotency/erase-answers';
import { personFinder } from '../../privacy/person-finder';
import { eraseRefusals } from '../../refusals/refusal-log';
import { ANY_TENANT } from '../../tenants/tenant';
import { type BulkChange, NO_CHANGE } from '../bulk-change';

export interface AnonymizedHold {
  before: SeatHold;
  after: SeatHold;
  /** Returns whether a text identifies the customer. The caller uses it for the webhook queue and the audit log. */
  identifiesPerson: (text: string) => boolean;
  /** Number of requests whose stored answers were erased. */
  answers: number;
  /** Number of refusals whose reference was erased. */
  refusals: number;
}

/**
 * Builds the erasure of the personal data of the customer and the contacts from a hold without a booking, stored answers and refusals; seats,
 * dates and amounts stay. The caller erases the data of the webhook queue and the audit log in the same transaction (ADR 23). Locks in the
 * order of erase-booking.ts. The result is undefined if the hold was already anonymized.
 * @param secret CURSOR_KEY: the secret of the digest that replaces an Idempotency-Key which contains personal data
 * @throws HoldNotFoundError, HoldStateConflictError for a hold that became a booking; the change also SaleChangedError if the hold changed
 *   during each of the three tries
 */
export async function anonymizeHold(
  trx: Trx,
  holdId: string,
  secret: string,
): Promise<BulkChange<AnonymizedHold | undefined>> {
  const found = await getHold(trx, ANY_TENANT, holdId);
  assertNoBooking(found);
  if (found.anonymizedAt) return NO_CHANGE;
  const { id, departureId, tenant, octo } = found;
  const identifiesPerson = personFinder(peopleOfHold(found));
  const named = { hold_id: id, ...(octo && { uuid: octo.uuid }) };
  const erase = () => eraseAnswers(trx, { tenantId: tenant.id, named, identifiesPerson, secret });
  const answers = await erase();
  const refusals = await eraseRefusals(trx, tenant.id, identifiesPerson);
  const eraseLocked = async (): Promise<AnonymizedHold | undefined> => {
    const before = await getHold(trx, ANY_TENANT, id);
    assertNotMoved('hold', departureId, before);
    assertNoBooking(before);
    if (before.anonymizedAt) return undefined;
    // Repeats the transaction if another request has stored other people during the wait for the lock.
    if (!isDeepStrictEqual(peopleOfHold(before), peopleOfHold(found))) throw new SaleChangedError('hold');
    const late = await erase();
    await eraseHoldCustomer(trx, before, identifiesPerson);
    const after = await getHold(trx, ANY_TENANT, id);
    return { before, after, identifiesPerson, answers: answers + late, refusals };
  };
  return {
    departureIds: [departureId],
    change: async () => ({ result: await eraseLocked(), changed: [] }),
  };
}

/** @throws HoldStateConflictError */
function assertNoBooking({ status }: SeatHold): void {
  if (status === 'converted') throw new HoldStateConflictError(status);
}
