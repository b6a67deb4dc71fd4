import { anonymizeBooking } from '../../../services/api/bookings/anonymize-booking';
import { erasePersonFromChanges } from '../../../services/api/audit/erase-person';
import { getBooking } from '../../../services/api/bookings/find-booking';
import { ANY_TENANT } from '../../../services/api/tenants/tenant-scope';
import type { Trx } from '../../../services/platform/database';
import { eraseCustomer } from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';

const NOTHING = { hold: false, answers: 0, events: 0, deliveries: 0, attempts: 0, audit_rows: 0 };

/** Everything in one transaction: either nothing says any more who the customer was, or nothing has changed. */
export async function anonymizeBookingCommand(
  { audited, confirm, db, output }: Context,
  { force = false }: { force?: boolean },
  ref: string,
): Promise<void> {
  const { tenant, anonymizedAt } = await getBooking(db, ANY_TENANT, ref);
  if (!anonymizedAt) {
    await confirm(`Erase who the customer of ${ref} was, for good? Seats, dates and amounts stay.`);
  }
  const erased = await audited({ action: 'booking.anonymize', subject: ref }, async (trx, note) => {
    const done = await erase(trx, ref, force);
    const after = done && { anonymized_at: done.at, ...done.erased };
    note(null, after ?? null, { tenantId: tenant.id });
    return done;
  });
  const document = {
    ...{ booking_ref: ref, tenant: tenant.slug },
    anonymized_at: erased?.at ?? (await getBooking(db, ANY_TENANT, ref)).anonymizedAt!.toISOString(),
    erased: erased?.erased ?? NOTHING,
    undelivered: erased?.undelivered ?? [],
  };
  output.answer(document, () =>
    erased ? describe(document) : `${ref} was anonymised before; nothing is left to erase`,
  );
}

async function erase(trx: Trx, ref: string, force: boolean) {
  const booking = await anonymizeBooking(trx, ref);
  if (!booking) return undefined;
  const { before, after, tellsOf, answers } = booking;
  const { undelivered, ...webhooks } = await eraseCustomer(trx, ref, { tellsOf, evenUndelivered: force });
  const { holdId } = before;
  const subjects = [ref, ...(holdId ? [holdId] : [])];
  const audit_rows = await erasePersonFromChanges(trx, subjects, tellsOf);
  return {
    at: after.anonymizedAt!.toISOString(),
    erased: { hold: holdId !== null, answers, ...webhooks, audit_rows },
    undelivered,
  };
}

function describe(document: { booking_ref: string; erased: typeof NOTHING; undelivered: string[] }): string {
  const { booking_ref: ref, erased, undelivered } = document;
  const { hold, answers, events, attempts, audit_rows: rows } = erased;
  const where = [
    'the booking',
    ...(hold ? ['its hold'] : []),
    `${answers} stored answers`,
    `${events} webhook events`,
    `${attempts} attempts`,
    `${rows} audit rows`,
  ];
  const later = undelivered.map((id) => `Delivery ${id} goes out without the customer`);
  return [
    `Nothing says any more who the customer of ${ref} was: erased from ${where.join(', ')}`,
    ...later,
  ].join('\n');
}
