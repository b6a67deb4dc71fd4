import type { PartialCustomer } from '../services/api/holds/seat-hold';
import { maskEmail, maskName, maskPhone } from '../services/webhook-queue/operations';
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

/** On one line. */
export function describeCustomer({ name, phone, email }: PartialCustomer): string | null {
  return [name, phone, email].filter((value) => value !== null).join(', ') || null;
}
