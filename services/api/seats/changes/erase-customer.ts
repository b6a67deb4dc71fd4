import { isDeepStrictEqual } from 'node:util';
import type { Trx } from '../../../platform/database/database';
import { type BookingLead, peopleOf } from '../../bookings/booking-lead';
import { eraseCustomerOfLead, lockLead } from '../../bookings/booking-lead.repository';
import { getBooking } from '../../bookings/find-booking';
import { erasedImportRef } from '../../bookings/import-terms';
import { assertNotMoved, SaleChangedError } from '../../departures/check-seats';
import { getHold } from '../../holds/find-hold';
import { eraseCustomersOfHolds, withoutCustomer } from '../../holds/seat-hold.repository';
import { holdOutcome } from '../../holds/hold-status';
import type { SeatHold } from '../../holds/seat-hold';
import { eraseAnswers } from '../../idempotency/erase-answers';
import { personFinder } from '../../customers/person-finder';
import { eraseRefusals } from '../../refusals/refusal-log';
import { ANY_TENANT } from '../../tenants/tenant';
import { type BulkChange, NO_CHANGE } from '../bulk-change';
import type { PartialCustomer } from '../../customers/customer';

/** A booking or hold without personal data. */
export interface ErasedSale {
  /** The booking or hold after the erasure. */
  after: BookingLead | SeatHold;
  /** The hold, or the hold of the booking, before the erasure. Null: the booking has none. */
  hold: SeatHold | null;
  /** Returns whether a text identifies the customer. The caller uses it for the webhook queue and the audit log. */
  identifiesPerson: (text: string) => boolean;
  /** Number of requests whose stored answers were erased. */
  answers: number;
  /** Number of refusals whose reference was erased. */
  refusals: number;
}

/** The result is undefined if the personal data were already erased. */
export type Erasure = BulkChange<ErasedSale | undefined>;

/**
 * Builds the erasure of the personal data of the customer and the travellers from the lead, its hold, stored answers and refusals; seats,
 * dates and amounts stay. The caller erases the data of the webhook queue and the audit log in the same transaction (ADR 23).
 * @param secret CURSOR_KEY: the secret of the digest that replaces an Idempotency-Key which contains personal data
 * @param replaced earlier customers of the booking
 * @throws BookingNotFoundError; the change SaleChangedError if the booking changed during each of the three tries
 * @rule personal data is masked and erased: test/cli/anonymize-booking.long.test.ts
 */
export async function anonymizeBooking(
  trx: Trx,
  bookingRef: string,
  secret: string,
  replaced: PartialCustomer[] = [],
): Promise<Erasure> {
  const read = () => getBooking(trx, ANY_TENANT, bookingRef);
  const found = await read();
  const { id, holdId, tenant } = found;
  const hold = holdId ? await getHold(trx, tenant.id, holdId) : null;
  return erasureOf(trx, secret, {
    kind: 'booking',
    found,
    hold,
    others: [...(hold ? [hold.customer] : []), ...replaced],
    named: { booking_ref: bookingRef, ...(holdId && { hold_id: holdId }) },
    lock: () => lockLead(trx, id),
    read,
    erase: async ({ externalRef, importRef }, identifiesPerson) => {
      if (hold) await eraseCustomersOfHolds(trx, [withoutCustomer(hold, identifiesPerson)]);
      await eraseCustomerOfLead(trx, id, {
        externalRef: externalRef && identifiesPerson(externalRef) ? null : externalRef,
        importRef: importRef && erasedImportRef(importRef, secret),
      });
    },
  });
}

/**
 * Builds the erasure of the personal data of the customer and the contacts from a hold without a booking, as anonymizeBooking does.
 * @throws HoldNotFoundError, HoldStateConflictError for a hold that became a booking; the change also SaleChangedError
 */
export async function anonymizeHold(trx: Trx, holdId: string, secret: string): Promise<Erasure> {
  const read = async () => {
    const hold = await getHold(trx, ANY_TENANT, holdId);
    holdOutcome(hold, 'erase');
    return hold;
  };
  const found = await read();
  return erasureOf(trx, secret, {
    kind: 'hold',
    found,
    hold: found,
    others: [],
    named: { hold_id: found.id },
    lock: async () => {},
    read,
    erase: (before, identifiesPerson) =>
      eraseCustomersOfHolds(trx, [withoutCustomer(before, identifiesPerson)]),
  });
}

interface SaleToErase<Sale> {
  kind: 'booking' | 'hold';
  /** The booking or hold before the locks. */
  found: Sale;
  hold: SeatHold | null;
  /** People besides those of the booking or hold. */
  others: PartialCustomer[];
  /** The fields by which a stored answer names it. */
  named: Record<string, string>;
  /** Locks it, after its departure. */
  lock(): Promise<void>;
  read(): Promise<Sale>;
  erase(before: Sale, identifiesPerson: (text: string) => boolean): Promise<void>;
}

async function erasureOf<Sale extends BookingLead | SeatHold>(
  trx: Trx,
  secret: string,
  { kind, found, hold, others, named, ...sale }: SaleToErase<Sale>,
): Promise<Erasure> {
  if (found.anonymizedAt) return NO_CHANGE;
  const { departureId, tenant, octo } = found;
  const identifiesPerson = personFinder([...peopleOf(found), ...others]);
  const names = { ...named, ...(octo && { uuid: octo.uuid }) };
  const answersOf = { tenantId: tenant.id, named: names, identifiesPerson, secret };
  const answers = await eraseAnswers(trx, answersOf);
  // Erases the refusals before it locks the departure. There may be many refusals, and sales would wait for the lock of the departure.
  const refusals = await eraseRefusals(trx, tenant.id, identifiesPerson);
  const eraseLocked = async (): Promise<ErasedSale | undefined> => {
    await sale.lock();
    const before = await sale.read();
    assertNotMoved(kind, departureId, before);
    if (before.anonymizedAt) return undefined;
    // Repeats the transaction if another request has stored other people (customer, travellers or contacts) during the wait for the locks.
    // The repeated transaction then searches for these people too.
    if (!isDeepStrictEqual(peopleOf(before), peopleOf(found))) throw new SaleChangedError(kind);
    // Erases the answers that requests stored while this transaction waited for the locks. Locks the idempotency rows after the departure,
    // against the lock order. This causes no deadlock. Only two other kinds of transactions lock these rows: repeated requests, which wait
    // for no lock, and other anonymizations.
    const late = await eraseAnswers(trx, answersOf);
    await sale.erase(before, identifiesPerson);
    const after = await sale.read();
    return { after, hold, identifiesPerson, answers: answers + late, refusals };
  };
  return {
    departureIds: departureId === null ? [] : [departureId],
    change: async () => ({ result: await eraseLocked(), changed: [] }),
  };
}
