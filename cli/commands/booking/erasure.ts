import { erasePersonFromChanges } from '../../../services/api/audit/audit.repository';
import type { RowsOfPerson } from '../../../services/api/bookings/rows-of-person';
import type { Trx } from '../../../services/platform/database/database';
import { eraseCustomer, type EventsToErase } from '../../../services/webhook-queue/deliveries/erase-customer';
import { flag } from '../../engine/command';
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

/**
 * Erases the person from the webhooks and the audit rows of a booking and its hold.
 * @param force erases also while a webhook with the customer is undelivered
 * @returns the ids of the deliveries that will be sent without the customer, and the numbers of changed rows
 * @throws BookingInFlightError; BookingUndeliveredError without `force`
 */
export async function eraseElsewhere(
  trx: Trx,
  named: EventsToErase,
  { identifiesPerson, force }: { identifiesPerson: (text: string) => boolean; force: boolean },
) {
  const rules = { identifiesPerson, evenUndelivered: force };
  const { undelivered, ...webhooks } = await eraseCustomer(trx, named, rules);
  const subjects = [named.bookingRef, named.hold?.id].filter((one) => one != null);
  const audit_rows = await erasePersonFromChanges(trx, subjects, identifiesPerson);
  return { undelivered, changed: { ...webhooks, audit_rows } };
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
