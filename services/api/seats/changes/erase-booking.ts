import { isDeepStrictEqual } from 'node:util';
import type { Trx } from '../../../platform/database/database';
import { type BookingLead, peopleOf } from '../../bookings/booking-lead';
import { eraseCustomerOfLead, lockLead } from '../../bookings/booking-lead.repository';
import { getBooking } from '../../bookings/find-booking';
import { assertNotMoved, SaleChangedError } from '../../departures/check-seats';
import { eraseHoldCustomer } from '../../holds/change-hold';
import { getHold } from '../../holds/find-hold';
import type { PartialCustomer, SeatHold } from '../../holds/seat-hold';
import { eraseAnswers } from '../../idempotency/erase-answers';
import { personFinder } from '../../privacy/person-finder';
import { eraseRefusals } from '../../refusals/refusal-log';
import { ANY_TENANT } from '../../tenants/tenant';
import { type BulkChange, NO_CHANGE } from '../bulk-change';

export interface AnonymizedBooking {
  before: BookingLead;
  after: BookingLead;
  /** The hold of the booking before the erasure. Null: none. */
  hold: SeatHold | null;
  /** Returns whether a text identifies the customer. The caller uses it for the webhook queue and the audit log. */
  identifiesPerson: (text: string) => boolean;
  /** Number of requests whose stored answers were erased. */
  answers: number;
  /** Number of refusals whose reference was erased. */
  refusals: number;
}

/**
 * Builds the erasure of the personal data of the customer and the travellers from the lead, its hold, stored answers and refusals; seats,
 * dates and amounts stay. The caller erases the data of the webhook queue and the audit log in the same transaction (ADR 23). The result is
 * undefined if the booking was already anonymized.
 * @param secret CURSOR_KEY: the secret of the digest that replaces an Idempotency-Key which contains personal data
 * @param replaced earlier customers of the booking
 * @throws BookingNotFoundError; the change SaleChangedError if the booking changed during each of the three tries
 */
export async function anonymizeBooking(
  trx: Trx,
  bookingRef: string,
  secret: string,
  replaced: PartialCustomer[] = [],
): Promise<BulkChange<AnonymizedBooking | undefined>> {
  const found = await getBooking(trx, ANY_TENANT, bookingRef);
  if (found.anonymizedAt) return NO_CHANGE;
  const { id, holdId, departureId, tenant } = found;
  const hold = holdId ? await getHold(trx, tenant.id, holdId) : null;
  const identifiesPerson = personFinder([...peopleOf(found), ...(hold ? [hold.customer] : []), ...replaced]);

  const uuid = found.octo?.uuid;
  const named = { booking_ref: bookingRef, ...(holdId && { hold_id: holdId }), ...(uuid && { uuid }) };
  const erase = () => eraseAnswers(trx, { tenantId: tenant.id, named, identifiesPerson, secret });
  const answers = await erase();
  // Erases the refusals before it locks the departure. There may be many refusals, and sales would wait for the lock of the departure.
  const refusals = await eraseRefusals(trx, tenant.id, identifiesPerson);
  const eraseLocked = async (): Promise<AnonymizedBooking | undefined> => {
    await lockLead(trx, id);
    const before = await getBooking(trx, ANY_TENANT, bookingRef);
    assertNotMoved('booking', departureId, before);
    if (before.anonymizedAt) return undefined;
    // Repeats the transaction if another request has stored other people (customer, travellers or contacts) during the wait for the locks.
    // The repeated transaction then searches for these people too.
    if (!isDeepStrictEqual(peopleOf(before), peopleOf(found))) throw new SaleChangedError('booking');
    // Erases the answers that requests stored while this transaction waited for the locks. Locks the idempotency rows after the departure,
    // against the lock order. This causes no deadlock. Only two other kinds of transactions lock these rows: repeated requests, which wait
    // for no lock, and other anonymizations.
    const late = await erase();

    const keptReference = (reference: string | null) =>
      reference && identifiesPerson(reference) ? null : reference;
    if (hold) await eraseHoldCustomer(trx, hold, identifiesPerson);
    await eraseCustomerOfLead(trx, id, keptReference(before.externalRef));
    const after = await getBooking(trx, ANY_TENANT, bookingRef);
    return { before, after, hold, identifiesPerson, answers: answers + late, refusals };
  };
  return {
    departureIds: departureId === null ? [] : [departureId],
    change: async () => ({ result: await eraseLocked(), changed: [] }),
  };
}
