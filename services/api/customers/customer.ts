import { type Fields, stored } from '../../platform/database/row-description';
import { withGiven } from '../audit/changed-fields';
import { isSamePhone, numbersIn } from './phone';

/** The customer's data, as far as the tenant sent them. All null after anonymization (ADR 23). */
export interface PartialCustomer {
  name: string | null;
  phone: string | null;
  /**
   * The text of which `phone` is a part (phone.ts). Its other numbers are the person's too. Null or undefined: the text says no more than
   * the number.
   */
  phoneAsSent?: string | null;
  email: string | null;
}

/** Returns the customer after a change. A new phone replaces the text of the old one too. */
export function withGivenCustomer(now: PartialCustomer, given: Partial<PartialCustomer>): PartialCustomer {
  const merged = withGiven(now, given);
  return given.phone === undefined ? merged : { ...merged, phoneAsSent: given.phoneAsSent ?? null };
}

/** The customer in an answer. */
export interface CustomerAnswer {
  name: string | null;
  phone: string | null;
  /** Only if the text said more than the number. Null: it did, and the API key may not read it. */
  phone_as_sent?: string | null;
  email: string | null;
}

export function customerAnswer({ name, phone, phoneAsSent, email }: PartialCustomer): CustomerAnswer {
  return { name, phone, phone_as_sent: phoneAsSent ?? undefined, email };
}

/** Describes the customer of a hold or lead. @param row the name of its table in the statement */
export function customerFields(row: string): Fields<PartialCustomer> {
  return {
    name: stored(`${row}.customer_name`),
    phone: stored(`${row}.customer_phone`),
    phoneAsSent: stored(`${row}.customer_phone_as_sent`),
    email: stored(`${row}.customer_email`),
  };
}

/** Returns the personal values that the history of a hold or booking compares. */
export function comparedCustomer({ name, phone, phoneAsSent, email }: PartialCustomer) {
  return { name, phone: [phone, phoneAsSent ?? null], email };
}

/** An e-mail or a phone number of a person. */
export type Contact = { email: string } | { phone: string };

/** Returns the e-mail and the phone numbers of a person. */
export function contactsOf({ phone, phoneAsSent, email }: PartialCustomer): Contact[] {
  return [
    ...(email === null ? [] : [{ email }]),
    ...phonesOf({ phone, phoneAsSent }).map((one) => ({ phone: one })),
  ];
}

/** Returns the phone numbers of a person, each once. */
export function phonesOf({ phone, phoneAsSent }: Pick<PartialCustomer, 'phone' | 'phoneAsSent'>): string[] {
  const others = phoneAsSent ? numbersIn(phoneAsSent) : [];
  return [...new Set([...(phone === null ? [] : [phone]), ...others])];
}

/** Returns whether the person has the e-mail, in any case, or the phone, in any spelling. */
export function hasContact(person: PartialCustomer, contact: Contact): boolean {
  if ('email' in contact) return person.email?.toLowerCase() === contact.email.toLowerCase();
  return contactsOf(person).some((own) => 'phone' in own && isSamePhone(own.phone, contact.phone));
}
