import { getBooking } from '../../../services/api/bookings/find-booking';
import { findRowsOfPerson } from '../../../services/api/bookings/rows-of-person';
import { getHold } from '../../../services/api/holds/find-hold';
import { refreshStatistics } from '../../../services/api/privacy/refresh-statistics';
import { anonymizeBooking } from '../../../services/api/seats/changes/erase-booking';
import { type OperatorTransaction, performBulk } from '../../../services/api/seats/perform';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import type { Db } from '../../../services/platform/database/database';
import { findCustomersOfBooking } from '../../../services/webhook-queue/deliveries/erase-customer';
import { changeSeats } from '../../engine/change-seats';
import type { AuditedContext } from '../../engine/context';
import { describeErased, describeLeft, eraseElsewhere, type ErasureRules, NOTHING_ERASED } from './erasure';

/**
 * Erases the customer from all tables in one transaction. After COMMIT, erases the customer from the statistics of PostgreSQL's planner
 * too.
 */
export async function anonymizeBookingCommand(
  context: AuditedContext,
  { force = false }: { force?: boolean },
  ref: string,
): Promise<void> {
  const { confirm, db, output, secrets } = context;
  const { tenant, anonymizedAt, customer } = await getBooking(db, ANY_TENANT, ref);
  if (!anonymizedAt) {
    await confirm(`Erase the customer of ${ref} permanently? Seats, dates and amounts stay.`);
  }
  const { cursorKey } = await secrets('cursorKey');
  const others = await findRowsOfPerson(db, tenant.id, customer, ref);
  const erased = await eraseBooking(context, { ref, tenantId: tenant.id }, { force, cursorKey });
  // Refreshes the statistics even if nothing was left to erase, because an earlier run may have ended before this step.
  await refreshStatistics(db);
  const document = {
    booking_ref: ref,
    tenant: tenant.slug,
    anonymized_at: erased?.at ?? (await getBooking(db, ANY_TENANT, ref)).anonymizedAt!.toISOString(),
    erased: erased?.erased ?? { hold: false, ...NOTHING_ERASED },
    undelivered: erased?.undelivered ?? [],
    references: await referencesOf(db, ref),
    others,
  };
  const places = document.erased.hold ? ['the booking', 'its hold'] : ['the booking'];
  const done = erased
    ? `The customer of ${ref} is erased from ${describeErased(places, document.erased)}`
    : `${ref} is already anonymised; nothing is left to erase`;
  await output.answer(document, () => [done, ...describeLeft(document)].join('\n'));
}

/** Erases the customer of a booking in one transaction with its audit row. Returns undefined if nothing was left to erase. */
export async function eraseBooking(
  context: Pick<AuditedContext, 'audited'>,
  { ref, tenantId }: { ref: string; tenantId: string },
  rules: ErasureRules,
) {
  return changeSeats(context, { action: 'booking.anonymize', subject: ref }, async (transaction, note) => {
    const done = await erase(transaction, ref, rules);
    const after = done && { anonymized_at: done.at, ...done.erased };
    note(null, after ?? null, { tenantId });
    return done;
  });
}

async function erase(transaction: OperatorTransaction, ref: string, { force, cursorKey }: ErasureRules) {
  const { trx } = transaction;
  const replaced = await findCustomersOfBooking(trx, ref);
  const booking = await performBulk(transaction, await anonymizeBooking(trx, ref, cursorKey, replaced));
  if (!booking) return undefined;
  const { before, after, hold, identifiesPerson, answers, refusals } = booking;
  const events = { bookingRef: ref, hold: hold && { ...hold, tenantId: hold.tenant.id } };
  const { undelivered, changed } = await eraseElsewhere(trx, events, { identifiesPerson, force });
  return {
    at: after.anonymizedAt!.toISOString(),
    erased: { hold: before.holdId !== null, answers, refusals, ...changed },
    undelivered,
    reference: after.externalRef,
  };
}

/** Returns the website's references that the anonymization has kept, because they do not name the customer. */
async function referencesOf(db: Db, ref: string): Promise<string[]> {
  const { externalRef, holdId } = await getBooking(db, ANY_TENANT, ref);
  const ofHold = holdId ? (await getHold(db, ANY_TENANT, holdId)).externalRef : null;
  return [...new Set([externalRef, ofHold].filter((reference) => reference !== null))];
}
