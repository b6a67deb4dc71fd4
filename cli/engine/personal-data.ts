import type { Traveller } from '../../services/api/bookings/booking-lead';
import {
  customerOfContact,
  type OctoContact,
  type OctoDetails,
  peopleOfOcto,
} from '../../services/api/holds/octo-booking';
import { personFinder } from '../../services/api/customers/person-finder';
import { HIDDEN, maskEmail, maskName, maskPhone } from '../../services/platform/forms/text-forms';
import { flag } from './command';
import type { AuditedContext } from './context';
import type { ItemColumn } from '../terminal/table';
import { foldLines } from '../terminal/text';
import {
  type CustomerAnswer,
  customerAnswer,
  type PartialCustomer,
} from '../../services/api/customers/customer';

/** Column for lists with --reveal. */
export const CUSTOMER_COLUMN: ItemColumn<{ customer: CustomerAnswer }> = {
  heading: 'customer',
  least: 16,
  cell: ({ customer }) => describeCustomer(customer),
};

/** Masks the customer unless `reveal` is true. Fields that are null stay null. */
export function toCustomerDocument(customer: PartialCustomer, reveal = false): CustomerAnswer {
  if (reveal) return customerAnswer(customer);
  const { name, phone, phoneAsSent, email } = customer;
  return customerAnswer({
    name: name === null ? null : maskName(name),
    phone: phone === null ? null : maskPhone(phone),
    phoneAsSent: phoneAsSent && maskPhone(phoneAsSent),
    email: email === null ? null : maskEmail(email),
  });
}

/** Masks a website's reference if it contains the name, phone or email of one of the people. */
export function toReferenceDocument(
  reference: string | null,
  people: PartialCustomer[],
  reveal = false,
): string | null {
  return reference === null || reveal || !personFinder(people)(reference) ? reference : HIDDEN;
}

/** Joins the customer's data on one line, also if a value has line breaks. A phone number is shown with the text around it. */
export function describeCustomer({ name, phone, phone_as_sent, email }: CustomerAnswer): string | null {
  return (
    foldLines([name, phone_as_sent ?? phone, email].filter((value) => value !== null).join(', ')) || null
  );
}

/** Masks the name, the day of birth and the note of a traveller unless revealed. */
export function toTravellerDocument(traveller: Traveller, reveal: boolean): Traveller {
  if (reveal) return traveller;
  const { category, first_name, last_name, birth_date, note } = traveller;
  return {
    category,
    first_name: maskName(first_name),
    last_name: maskName(last_name),
    birth_date: birth_date === null ? null : HIDDEN,
    note: note === null ? null : HIDDEN,
  };
}

/** Returns `Rui Lima (child, 2019-05-04): vegetarian` on one line, also if a value has line breaks. */
export function describeTraveller({ category, first_name, last_name, birth_date, note }: Traveller): string {
  const facts = [category, birth_date].filter((fact) => fact !== null).join(', ');
  const name = `${first_name} ${last_name}`.trim();
  return foldLines(`${name} (${facts})${note === null ? '' : `: ${note}`}`);
}

/** Masks the contacts of an OCTO booking unless revealed. */
export function toOctoDocument(octo: OctoDetails | null, reveal: boolean) {
  return (
    octo && {
      uuid: octo.uuid,
      contact: toContactDocument(octo.contact, reveal),
      unit_items: octo.unitItems.map(({ uuid, unitId, resellerReference, contact }) => ({
        uuid,
        unit_id: unitId,
        reseller_reference: toReferenceDocument(resellerReference, peopleOfOcto(octo), reveal),
        contact: toContactDocument(contact, reveal),
      })),
      notes: octo.notes === null || reveal ? octo.notes : HIDDEN,
    }
  );
}

const MASKS: { [F in keyof OctoContact]: (text: string) => string } = {
  fullName: maskName,
  firstName: maskName,
  lastName: maskName,
  emailAddress: maskEmail,
  phoneNumber: maskPhone,
  postalCode: () => HIDDEN,
  notes: () => HIDDEN,
};

function toContactDocument(contact: OctoContact, reveal: boolean): OctoContact {
  if (reveal) return contact;
  const masked = Object.entries(contact).map(([field, value]: [string, unknown]) => {
    const mask = MASKS[field as keyof OctoContact];
    return [field, mask && typeof value === 'string' ? mask(value) : value];
  });
  return Object.fromEntries(masked) as OctoContact;
}

/** Returns one line for each contact of an OCTO booking that names somebody: `Ana Lima, ana@example.com`. */
export function describeContacts(octo: ReturnType<typeof toOctoDocument>): string[] {
  const contacts = octo ? [octo.contact, ...octo.unit_items.map(({ contact }) => contact)] : [];
  return contacts
    .map((contact) => describeCustomer(customerOfContact(contact)))
    .filter((line) => line !== null);
}

/** Replaces each hidden value of a document by a hint that names --reveal. */
export function explainHidden(facts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).map(([field, value]) => [field, value === HIDDEN ? HIDDEN_HINT : value]),
  );
}

/** The hint that stands for a hidden value. */
export const HIDDEN_HINT = `${HIDDEN} (--reveal shows it)`;

export const REVEAL_FLAG = flag(
  '--reveal',
  'show names, phones and emails, which are masked otherwise; leaves an audit row',
);

export interface RevealOptions {
  reveal?: boolean;
}

/** Records who reveals how many customers, before they are shown. */
export async function recordReveal(
  { audited }: AuditedContext,
  entry: { action: string; subject?: string; tenantId?: string },
  what: Record<string, unknown>,
): Promise<void> {
  await audited(entry, async (_trx, note) => note(null, what));
}
