import { personFinder } from '../services/api/customers/person-finder';
import type { PartialCustomer } from '../services/api/holds/seat-hold';
import { HIDDEN, maskEmail, maskName, maskPhone } from '../services/platform/mask-personal-data';
import type { Column } from './table';

/** For lists, where it is revealed. */
export const CUSTOMER_COLUMN: Column = { heading: 'customer', least: 16 };

/** Masked unless revealed; what is not known stays null. */
export function toCustomerDocument(customer: PartialCustomer, reveal = false): PartialCustomer {
  if (reveal) return customer;
  const { name, phone, email } = customer;
  return {
    name: name === null ? null : maskName(name),
    phone: phone === null ? null : maskPhone(phone),
    email: email === null ? null : maskEmail(email),
  };
}

/** A website's own reference; some are built of the customer's name, phone or email, and those are masked as these are. */
export function toReferenceDocument(
  reference: string | null,
  customer: PartialCustomer,
  reveal = false,
): string | null {
  return reference === null || reveal || !personFinder([customer])(reference) ? reference : HIDDEN;
}

/** On one line. */
export function describeCustomer({ name, phone, email }: PartialCustomer): string | null {
  return [name, phone, email].filter((value) => value !== null).join(', ') || null;
}
