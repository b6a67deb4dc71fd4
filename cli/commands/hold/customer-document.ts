import type { PartialCustomer } from '../../../services/api/holds/seat-hold';
import { maskEmail, maskName, maskPhone } from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';

export interface RevealOptions {
  reveal?: boolean;
}

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

/** The row that says who looked, and at how many; before anything is shown. */
export async function recordReveal(
  { audited }: Context,
  entry: { action: string; subject?: string; tenantId?: string },
  what: Record<string, unknown>,
): Promise<void> {
  await audited(entry, async (_trx, note) => note(null, what));
}
