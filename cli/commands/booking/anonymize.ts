import { erasePersonFromChanges } from '../../../services/api/audit/audit.repository';
import { anonymizeBooking } from '../../../services/api/bookings/anonymize-booking';
import { getBooking } from '../../../services/api/bookings/find-booking';
import { getHold } from '../../../services/api/holds/find-hold';
import { refreshStatistics } from '../../../services/api/privacy/refresh-statistics';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import type { Db, Trx } from '../../../services/platform/database';
import {
  eraseCustomer,
  findCustomersOfBooking,
} from '../../../services/webhook-queue/deliveries/erase-customer';
import type { Context } from '../../engine/context';
import { countOf } from '../../terminal/text';

const NOTHING = {
  hold: false,
  answers: 0,
  refusals: 0,
  events: 0,
  deliveries: 0,
  attempts: 0,
  audit_rows: 0,
};

/**
 * Erases the customer from all tables in one transaction. After COMMIT, erases the customer from the statistics of PostgreSQL's planner
 * too.
 */
export async function anonymizeBookingCommand(
  { audited, confirm, db, output, secrets }: Context,
  { force = false }: { force?: boolean },
  ref: string,
): Promise<void> {
  const { tenant, anonymizedAt } = await getBooking(db, ANY_TENANT, ref);
  if (!anonymizedAt) {
    await confirm(`Erase the customer of ${ref} permanently? Seats, dates and amounts stay.`);
  }
  const { cursorKey } = await secrets('cursorKey');
  const erased = await audited({ action: 'booking.anonymize', subject: ref }, async (trx, note) => {
    const done = await erase(trx, ref, force, cursorKey);
    const after = done && { anonymized_at: done.at, ...done.erased };
    note(null, after ?? null, { tenantId: tenant.id });
    return done;
  });
  // Refreshes the statistics even if nothing was left to erase, because an earlier run may have ended before this step.
  await refreshStatistics(db);
  const document = {
    booking_ref: ref,
    tenant: tenant.slug,
    anonymized_at: erased?.at ?? (await getBooking(db, ANY_TENANT, ref)).anonymizedAt!.toISOString(),
    erased: erased?.erased ?? NOTHING,
    undelivered: erased?.undelivered ?? [],
    references: await referencesOf(db, ref),
  };
  await output.answer(document, () =>
    erased
      ? describe(document)
      : [`${ref} is already anonymised; nothing is left to erase`, ...describeReferences(document)].join(
          '\n',
        ),
  );
}

async function erase(trx: Trx, ref: string, force: boolean, secret: string) {
  const replaced = await findCustomersOfBooking(trx, ref);
  const booking = await anonymizeBooking(trx, ref, secret, replaced);
  if (!booking) return undefined;
  const { before, after, identifiesPerson, answers, refusals } = booking;
  const { undelivered, ...webhooks } = await eraseCustomer(trx, ref, {
    identifiesPerson,
    evenUndelivered: force,
  });
  const { holdId } = before;
  const subjects = [ref, ...(holdId ? [holdId] : [])];
  const audit_rows = await erasePersonFromChanges(trx, subjects, identifiesPerson);
  return {
    at: after.anonymizedAt!.toISOString(),
    erased: { hold: holdId !== null, answers, refusals, ...webhooks, audit_rows },
    undelivered,
  };
}

/** Returns the website's references that the anonymization has kept, because they do not name the customer. */
async function referencesOf(db: Db, ref: string): Promise<string[]> {
  const { externalRef, holdId } = await getBooking(db, ANY_TENANT, ref);
  const ofHold = holdId ? (await getHold(db, ANY_TENANT, holdId)).externalRef : null;
  return [...new Set([externalRef, ofHold].filter((reference) => reference !== null))];
}

interface Anonymized {
  booking_ref: string;
  erased: typeof NOTHING;
  undelivered: string[];
  references: string[];
}

function describeReferences({ references }: Anonymized): string[] {
  return references.map(
    (reference) => `The reference ${reference} stays: check whether it names the customer`,
  );
}

function describe(document: Anonymized): string {
  const { booking_ref: ref, erased, undelivered } = document;
  const { hold, answers, refusals, events, attempts, audit_rows: rows } = erased;
  const where = [
    'the booking',
    ...(hold ? ['its hold'] : []),
    countOf(answers, 'stored answer'),
    countOf(refusals, 'refusal'),
    countOf(events, 'webhook event'),
    countOf(attempts, 'attempt'),
    countOf(rows, 'audit row'),
  ];
  const later = undelivered.map((id) => `Delivery ${id} will be sent without the customer`);
  return [
    `The customer of ${ref} is erased from ${where.join(', ')}`,
    ...later,
    ...describeReferences(document),
  ].join('\n');
}
