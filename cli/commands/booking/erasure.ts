import { erasePersonFromChanges } from '../../../services/api/audit/audit.repository';
import type { PersonRow, RowsOfPerson } from '../../../services/api/bookings/rows-of-person';
import { anonymizeBooking, anonymizeHold } from '../../../services/api/seats/changes/erase-customer';
import { type OperatorTransaction, performBulk } from '../../../services/api/seats/perform';
import {
  eraseCustomer,
  findCustomersOfBooking,
} from '../../../services/webhook-queue/deliveries/erase-customer';
import { changeSeats } from '../../engine/change-seats';
import { flag } from '../../engine/command';
import type { AuditedContext } from '../../engine/context';
import { countOf } from '../../terminal/text';

/* The parts that `booking anonymize`, `hold anonymize` and `customer erase` share. */

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
export interface Erased {
  /** True: the booking has a hold, which lost its customer too. Undefined: a hold was erased alone. */
  hold?: boolean;
  answers: number;
  refusals: number;
  events: number;
  deliveries: number;
  attempts: number;
  audit_rows: number;
}

export const NOTHING_ERASED: Erased = {
  answers: 0,
  refusals: 0,
  events: 0,
  deliveries: 0,
  attempts: 0,
  audit_rows: 0,
};

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
export interface LeftToDo {
  undelivered: string[];
  references: string[];
  others: RowsOfPerson;
}

/** Describes where the customer was erased. @param first the first places, such as `the booking` */
export function describeErased(first: string[], erased: Erased): string {
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
export function describeLeft({ undelivered, references, others }: LeftToDo): string[] {
  return [
    ...undelivered.map((id) => `Delivery ${id} will be sent without the customer`),
    ...references.map((reference) => `The reference ${reference} stays: check whether it names the customer`),
    ...others.bookings.map((ref) => `${ref} has the same phone or e-mail: tourctl booking anonymize ${ref}`),
    ...others.holds.map((id) => `Hold ${id} has the same phone or e-mail: tourctl hold anonymize ${id}`),
  ];
}
