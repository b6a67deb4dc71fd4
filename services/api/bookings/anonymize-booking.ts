import type { Trx } from '../../platform/database';
import { forgetReference } from '../departures/forget-reference';
import { relockDeparture } from '../departures/reserve-seats';
import { getHold } from '../holds/find-hold';
import { forgetCustomerOfHold } from '../holds/forget-customer';
import { eraseAnswers } from '../idempotency/erase-answers';
import { ANY_TENANT } from '../tenants/tenant-scope';
import type { BookingLead } from './booking-lead';
import { forgetLeadCustomer, lockLead } from './booking-lead.repository';
import { getBooking } from './find-booking';
import { personFinder } from './person-finder';

export interface AnonymizedBooking {
  before: BookingLead;
  after: BookingLead;
  /** Does a text say who the customer was? For what other rooms keep of the booking. */
  tellsOf: (text: string) => boolean;
  /** Requests whose stored answers were erased. */
  answers: number;
}

/**
 * Erases who the customer was, from the lead, its hold, stored answers and refusals; seats, dates and amounts stay. The
 * caller erases what the webhook queue and the audit log keep, in the same transaction (ADR 23).
 * @returns undefined where that was done before
 * @throws BookingNotFoundError, DepartureBusyError
 */
export async function anonymizeBooking(trx: Trx, bookingRef: string): Promise<AnonymizedBooking | undefined> {
  const found = await getBooking(trx, ANY_TENANT, bookingRef);
  const { id, holdId, departureId, tenant } = found;
  const hold = holdId ? await getHold(trx, tenant.id, holdId) : undefined;
  const people = [found.customer, ...(hold ? [hold.customer] : [])];
  const tellsOf = personFinder(people.flatMap(({ name, phone, email }) => [name, phone, email]));

  const named = { booking_ref: bookingRef, ...(holdId && { hold_id: holdId }) };
  const answers = await eraseAnswers(trx, tenant.id, named, tellsOf);
  if (departureId) await relockDeparture(trx, departureId);
  await lockLead(trx, id);
  const before = await getBooking(trx, ANY_TENANT, bookingRef);
  if (before.anonymizedAt) return undefined;

  const left = (reference: string | null) => (reference && tellsOf(reference) ? null : reference);
  if (hold) await forgetCustomerOfHold(trx, hold.id, left(hold.externalRef));
  await forgetLeadCustomer(trx, id, left(before.externalRef));
  for (const reference of new Set([before.externalRef, hold?.externalRef ?? null])) {
    if (reference && left(reference) === null) await forgetReference(trx, tenant.id, reference);
  }
  return { before, after: await getBooking(trx, ANY_TENANT, bookingRef), tellsOf, answers };
}
