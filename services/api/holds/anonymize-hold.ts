import { isDeepStrictEqual } from 'node:util';
import type { Trx } from '../../platform/database/database';
import { assertNotMoved, SaleChangedError } from '../departures/check-seats';
import { expireSeats, hasExpired } from '../departures/mark-expired-seats';
import { eraseAnswers } from '../idempotency/erase-answers';
import { personFinder } from '../privacy/person-finder';
import { eraseRefusals } from '../refusals/refusal-log';
import { ANY_TENANT } from '../tenants/tenant';
import { eraseHoldCustomer } from './change-hold';
import { getHold } from './find-hold';
import { holdOutcome } from './hold-status';
import { peopleOfHold, type SeatHold } from './seat-hold';

export interface AnonymizedHold {
  before: SeatHold;
  after: SeatHold;
  /** Returns whether a text identifies the customer. The caller uses it for the webhook queue and the audit log. */
  identifiesPerson: (text: string) => boolean;
  /** Number of requests whose stored answers were erased. */
  answers: number;
  /** Number of refusals whose reference was erased. */
  refusals: number;
  /** True: expired holds or bookings of the departure were marked. */
  seatsExpired: boolean;
}

/**
 * Erases the personal data of the customer and the contacts from a hold without a booking, stored answers and refusals; seats, dates and
 * amounts stay. The caller erases the data of the webhook queue and the audit log in the same transaction (ADR 23). Locks in the order of
 * bookings/anonymize-booking.ts.
 * @param secret CURSOR_KEY: the secret of the digest that replaces an Idempotency-Key which contains personal data
 * @returns undefined when the hold was already anonymized
 * @throws HoldNotFoundError, HoldStateConflictError for a hold that became a booking, DepartureBusyError; SaleChangedError if the hold
 *   changed during each of the three tries
 */
export async function anonymizeHold(
  trx: Trx,
  holdId: string,
  secret: string,
): Promise<AnonymizedHold | undefined> {
  const found = await getHold(trx, ANY_TENANT, holdId);
  holdOutcome(found, 'erase');
  if (found.anonymizedAt) return undefined;
  const { id, departureId, tenant, octo } = found;
  const identifiesPerson = personFinder(peopleOfHold(found));
  const named = { hold_id: id, ...(octo && { uuid: octo.uuid }) };
  const erase = () => eraseAnswers(trx, { tenantId: tenant.id, named, identifiesPerson, secret });
  const answers = await erase();
  const refusals = await eraseRefusals(trx, tenant.id, identifiesPerson);
  const expired = await expireSeats(trx, departureId);
  const before = await getHold(trx, ANY_TENANT, id);
  assertNotMoved('hold', departureId, before);
  holdOutcome(before, 'erase');
  if (before.anonymizedAt) return undefined;
  // Repeats the transaction if another request has stored other people during the wait for the lock.
  if (!isDeepStrictEqual(peopleOfHold(before), peopleOfHold(found))) throw new SaleChangedError('hold');
  const late = await erase();
  await eraseHoldCustomer(trx, before, identifiesPerson);
  return {
    before,
    after: await getHold(trx, ANY_TENANT, id),
    identifiesPerson,
    answers: answers + late,
    refusals,
    seatsExpired: hasExpired(expired),
  };
}
