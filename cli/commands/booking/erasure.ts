import { erasePersonFromChanges } from '../../../services/api/audit/audit.repository';
import type { BookingLead } from '../../../services/api/bookings/booking-lead';
import {
  findRowsOfPerson,
  type PersonRow,
  type RowsOfPerson,
} from '../../../services/api/bookings/rows-of-person';
import { getHold } from '../../../services/api/holds/find-hold';
import type { SeatHold } from '../../../services/api/holds/seat-hold';
import { refreshStatistics } from '../../../services/api/customers/refresh-statistics';
import { anonymizeBooking, anonymizeHold } from '../../../services/api/seats/changes/erase-customer';
import { type OperatorTransaction, performBulk } from '../../../services/api/seats/perform';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import type { Db } from '../../../services/platform/database/database';
import {
  eraseCustomer,
  findCustomersOfBooking,
} from '../../../services/webhook-queue/deliveries/erase-customer';
import { changeSeats } from '../../engine/change-seats';
import { flag } from '../../engine/command';
import type { AuditedContext } from '../../engine/context';
import { countOf } from '../../terminal/text';

/* What `booking anonymize`, `hold anonymize` and `customer erase` share. */

export const FORCE_FLAG = flag(
  '--force',
  'also while a webhook with the customer is undelivered; it is then sent without the customer',
);

export interface ErasureRules {
  /** Erases also while a webhook with the customer is undelivered. */
  force: boolean;
  /** CURSOR_KEY: the secret of the digest that replaces an Idempotency-Key which contains personal data. */
  cursorKey: string;
}

/** The numbers of changed rows. */
interface Erased {
  /** True: the booking has a hold, which lost its customer too. Undefined: a hold was erased alone. */
  hold?: boolean;
  answers: number;
  refusals: number;
  events: number;
  deliveries: number;
  attempts: number;
  audit_rows: number;
}

const NOTHING_ERASED: Erased = {
  answers: 0,
  refusals: 0,
  events: 0,
  deliveries: 0,
  attempts: 0,
  audit_rows: 0,
};

export interface ErasureOptions {
  force?: boolean;
}

/** The booking, or the hold without a booking, that a command names. */
interface NamedSale extends Pick<PersonRow, 'kind' | 'name'> {
  /** Names it in a sentence. */
  title: string;
  read(): Promise<BookingLead | SeatHold>;
}

/**
 * Erases the customer from all tables in one transaction, after a question. After COMMIT, erases the customer from the statistics of
 * PostgreSQL's planner too.
 */
export async function eraseAndAnswer(
  context: AuditedContext,
  { kind, name, title, read }: NamedSale,
  { force = false }: ErasureOptions,
): Promise<void> {
  const { confirm, db, output, secrets } = context;
  const { tenant, anonymizedAt, customer } = await read();
  if (!anonymizedAt)
    await confirm(`Erase the customer of ${title} permanently? Seats, dates and amounts stay.`);
  const { cursorKey } = await secrets('cursorKey');
  const others = await findRowsOfPerson(db, tenant.id, customer, name);
  const done = await eraseSale(context, { kind, name, tenantId: tenant.id }, { force, cursorKey });
  // Refreshes the statistics even if nothing was left to erase, because an earlier run may have ended before this step.
  await refreshStatistics(db);
  const after = await read();
  const isBooking = kind === 'booking';
  const document = {
    ...(isBooking ? { booking_ref: name } : { hold_id: name }),
    tenant: tenant.slug,
    anonymized_at: after.anonymizedAt!.toISOString(),
    erased: done?.erased ?? { ...(isBooking && { hold: false }), ...NOTHING_ERASED },
    undelivered: done?.undelivered ?? [],
    references: await referencesOf(db, after),
    others,
  };
  const places = [`the ${kind}`, ...(document.erased.hold ? ['its hold'] : [])];
  const result = done
    ? `The customer of ${title} is erased from ${describeErased(places, document.erased)}`
    : `Nothing is left to erase: ${title} is already anonymised`;
  await output.answer(document, () => [result, ...describeLeft(document)].join('\n'));
}

/** Returns the website's references that the erasure has kept, because they do not name the customer. */
async function referencesOf(db: Db, sale: BookingLead | SeatHold): Promise<string[]> {
  const holdId = 'holdId' in sale ? sale.holdId : null;
  const ofHold = holdId === null ? null : (await getHold(db, ANY_TENANT, holdId)).externalRef;
  return [...new Set([sale.externalRef, ofHold].filter((reference) => reference !== null))];
}

/** The booking or hold without a booking whose customer is erased. */
interface SaleToErase extends Pick<PersonRow, 'kind' | 'name'> {
  tenantId: string;
}

/**
 * Erases the customer of a booking or hold in one transaction with its audit row. Returns undefined if nothing was left to erase.
 * @throws BookingInFlightError; BookingUndeliveredError without `force`
 */
export async function eraseSale(
  context: Pick<AuditedContext, 'audited'>,
  { kind, name, tenantId }: SaleToErase,
  rules: ErasureRules,
) {
  const entry = { action: `${kind}.anonymize`, subject: name };
  return changeSeats(context, entry, async (transaction, note) => {
    const done = await erase(transaction, { kind, name }, rules);
    note(null, done ? { anonymized_at: done.at, ...done.erased } : null, { tenantId });
    return done;
  });
}

/** Erases the customer from the booking or hold, the webhooks and the audit rows. */
async function erase(
  transaction: OperatorTransaction,
  { kind, name }: Omit<SaleToErase, 'tenantId'>,
  { force, cursorKey }: ErasureRules,
) {
  const { trx } = transaction;
  const bookingRef = kind === 'booking' ? name : null;
  const erasure =
    bookingRef === null
      ? await anonymizeHold(trx, name, cursorKey)
      : await anonymizeBooking(trx, bookingRef, cursorKey, await findCustomersOfBooking(trx, bookingRef));
  const done = await performBulk(transaction, erasure);
  if (!done) return undefined;
  const { after, hold, identifiesPerson, answers, refusals } = done;
  const events = { bookingRef, hold: hold && { ...hold, tenantId: hold.tenant.id } };
  const { undelivered, ...webhooks } = await eraseCustomer(trx, events, {
    identifiesPerson,
    evenUndelivered: force,
  });
  const subjects = [bookingRef, hold?.id].filter((one) => one != null);
  const audit_rows = await erasePersonFromChanges(trx, subjects, identifiesPerson);
  const ofBooking = bookingRef === null ? {} : { hold: hold !== null };
  return {
    at: after.anonymizedAt!.toISOString(),
    erased: { ...ofBooking, answers, refusals, ...webhooks, audit_rows } satisfies Erased,
    /** The ids of the deliveries that will be sent without the customer. */
    undelivered,
    reference: after.externalRef,
  };
}

/** The parts of the answer that name what is left to do. */
interface LeftToDo {
  undelivered: string[];
  references: string[];
  others: RowsOfPerson;
}

/** Describes where the customer was erased. @param first the first places, such as `the booking` */
function describeErased(first: string[], erased: Erased): string {
  const where = [
    ...first,
    countOf(erased.answers, 'stored answer'),
    countOf(erased.refusals, 'refusal'),
    countOf(erased.events, 'webhook event'),
    countOf(erased.attempts, 'attempt'),
    countOf(erased.audit_rows, 'audit row'),
  ];
  return where.join(', ');
}

/** Describes what is left to do, one line each. */
function describeLeft({ undelivered, references, others }: LeftToDo): string[] {
  return [
    ...undelivered.map((id) => `Delivery ${id} will be sent without the customer`),
    ...references.map((reference) => `The reference ${reference} stays: check whether it names the customer`),
    ...others.bookings.map((ref) => `${ref} has the same phone or e-mail: tourctl booking anonymize ${ref}`),
    ...others.holds.map((id) => `Hold ${id} has the same phone or e-mail: tourctl hold anonymize ${id}`),
  ];
}
