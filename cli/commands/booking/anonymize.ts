import { getBooking } from '../../../services/api/bookings/find-booking';
import { findRowsOfPerson } from '../../../services/api/bookings/rows-of-person';
import { getHold } from '../../../services/api/holds/find-hold';
import { refreshStatistics } from '../../../services/api/privacy/refresh-statistics';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import type { Db } from '../../../services/platform/database/database';
import type { AuditedContext } from '../../engine/context';
import { describeErased, describeLeft, eraseSale, NOTHING_ERASED } from './erasure';

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
  const erased = await eraseSale(
    context,
    { kind: 'booking', name: ref, tenantId: tenant.id },
    { force, cursorKey },
  );
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

/** Returns the website's references that the anonymization has kept, because they do not name the customer. */
async function referencesOf(db: Db, ref: string): Promise<string[]> {
  const { externalRef, holdId } = await getBooking(db, ANY_TENANT, ref);
  const ofHold = holdId ? (await getHold(db, ANY_TENANT, holdId)).externalRef : null;
  return [...new Set([externalRef, ofHold].filter((reference) => reference !== null))];
}
