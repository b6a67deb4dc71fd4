import type { Trx } from '../../platform/database';
import { personFinder } from '../customers/person-finder';
import { forgetRefused } from '../departures/forget-refused';
import { relockDeparture } from '../departures/reserve-seats';
import { getHold } from '../holds/find-hold';
import { forgetCustomerOfHold } from '../holds/forget-customer';
import { eraseAnswers } from '../idempotency/erase-answers';
import { ANY_TENANT } from '../tenants/tenant-scope';
import type { BookingLead } from './booking-lead';
import { forgetLeadCustomer, lockLead } from './booking-lead.repository';
import { getBooking } from './find-booking';

export interface AnonymizedBooking {
  before: BookingLead;
  after: BookingLead;
  /** Does a text say who the customer was? For what other rooms keep of the booking. */
  tellsOf: (text: string) => boolean;
  /** Requests whose stored answers were erased. */
  answers: number;
  /** Refusals that had a reference which says it. */
  refusals: number;
}

/**
 * Erases who the customer was, from the lead, its hold, stored answers and refusals; seats, dates and amounts stay. The
 * caller erases what the webhook queue and the audit log keep, in the same transaction (ADR 23).
 * @param secret CURSOR_KEY: keys what is kept of idempotency keys that were the customer's data
 * @returns undefined where that was done before
 * @throws BookingNotFoundError, DepartureBusyError
 */
export async function anonymizeBooking(
  trx: Trx,
  bookingRef: string,
  secret: string,
): Promise<AnonymizedBooking | undefined> {
  const found = await getBooking(trx, ANY_TENANT, bookingRef);
  if (found.anonymizedAt) return undefined;
  const { id, holdId, departureId, tenant } = found;
  const hold = holdId ? await getHold(trx, tenant.id, holdId) : undefined;
  const tellsOf = personFinder([found.customer, ...(hold ? [hold.customer] : [])]);

  const named = { booking_ref: bookingRef, ...(holdId && { hold_id: holdId }) };
  const erase = () => eraseAnswers(trx, { tenantId: tenant.id, named, tellsOf, secret });
  const answers = await erase();
  // They may be very many, and nobody waits for them: before the departure is locked.
  const refusals = await forgetRefused(trx, tenant.id, tellsOf);
  if (departureId) await relockDeparture(trx, departureId);
  await lockLead(trx, id);
  const before = await getBooking(trx, ANY_TENANT, bookingRef);
  if (before.anonymizedAt) return undefined;
  // Of those that held the departure or lead before us. Out of the order of locks, and in nobody's way: a key that was
  // not there a moment ago can only be held by a repeat of its request, which waits for nothing, or by another anonymising.
  const late = await erase();

  const left = (reference: string | null) => (reference && tellsOf(reference) ? null : reference);
  if (hold) await forgetCustomerOfHold(trx, hold.id, left(hold.externalRef));
  await forgetLeadCustomer(trx, id, left(before.externalRef));
  const after = await getBooking(trx, ANY_TENANT, bookingRef);
  return { before, after, tellsOf, answers: answers + late, refusals };
}
