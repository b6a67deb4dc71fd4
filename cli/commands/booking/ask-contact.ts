import type { Tenant } from '../../../services/api/tenants/tenant';
import { email, personName } from '../../engine/values';
import { UsageError } from '../../engine/failure';
import type { Io } from '../../terminal/io';
import { askText } from '../../terminal/prompts';

/** The person who books. Undefined: not known. */
export interface AskedContact {
  name?: string;
  phone?: string;
  email?: string;
}

/** A run of at least six digits, with the signs of a phone number between them and a text in parentheses after it: `030 901820 (after 6)`. */
const NUMBER = /[+(]*\p{Nd}(?:[\s()./-]*\p{Nd}){5,}(?:\s*\([^()]*\p{L}[^()]*\))?/u;
const ADDRESS = /[^\s,;<>]+@[^\s,;<>]+/;

/**
 * Asks in one line for what is not given of name, phone number and e-mail address. Only the e-mail address may be left out.
 * @param isOptional true: the line may be empty, as for a hold
 */
export async function askContact(
  io: Io,
  tenant: Pick<Tenant, 'country'>,
  given: AskedContact,
  isOptional: boolean,
): Promise<AskedContact> {
  const isComplete = given.name !== undefined && given.phone !== undefined;
  if (isComplete || (isOptional && (given.name ?? given.phone) !== undefined)) return given;
  const parts = [given.name ?? 'Name', given.phone ?? 'phone number'].filter(
    (part) => part === 'Name' || part === 'phone number',
  );
  const message = `${parts.join(', ')}${isOptional ? ' (or empty)' : ', e-mail if any'}:`;
  const read = (text: string) => readContact(text, given);
  const typed = await askText(io, message, (text) => {
    if (isOptional && text.trim() === '') return undefined;
    return objectionTo(read(text), tenant);
  });
  return read(typed);
}

/** Takes the e-mail address and the phone number out of a line; the rest is the name. @param given wins over the line */
export function readContact(text: string, given: AskedContact = {}): AskedContact {
  const address = given.email ?? ADDRESS.exec(text)?.[0];
  const others = address === undefined ? text : text.replace(address, ' ');
  const number = given.phone ?? NUMBER.exec(others)?.[0].trim();
  const rest = number === undefined ? others : others.replace(number, ' ');
  const name = given.name ?? rest.replace(/[,;<>\s]+/g, ' ').trim();
  return { name: name === '' ? undefined : name, phone: number, email: address };
}

/** Returns the first thing that is missing or wrong. The typed line stays, so that the person can complete it. */
function objectionTo(contact: AskedContact, { country }: Pick<Tenant, 'country'>): string | undefined {
  try {
    if (contact.name === undefined) return 'The name is missing';
    personName(contact.name, 'The name');
    if (contact.phone === undefined) return 'The phone number is missing: at least 6 digits';
    if (!loadPhone().readPhone(contact.phone, country)) return 'The phone number must have at least 6 digits';
    if (contact.email !== undefined) email(contact.email, 'The e-mail address');
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

/** Loads the rules of phone numbers only for this question, because the first question must not wait for them. */
const loadPhone = () =>
  require('../../../services/api/customers/phone') as typeof import('../../../services/api/customers/phone');
