/*
 * The forms of contact details, for the API and for the booking element. The build copies this file into the element, so it imports nothing.
 */

/** A label of a domain, in any script. A hyphen neither begins nor ends it. */
const LABEL = '[\\p{L}\\p{M}\\p{N}_]+(?:-+[\\p{L}\\p{M}\\p{N}_]+)*';
/** The part of an address before the sign has none of the characters that mean something around an address. */
export const ADDRESS = `[^\\s@<>()[\\]:;,\\\\]{1,64}@${LABEL}(?:\\.${LABEL})+`;
const COPIED = `\\s*(?:mailto:)?\\s*["']?(${ADDRESS})["']?(?:\\?[^\\s<>]*)?`;
/**
 * Matches an address as programs copy it: in angle brackets, also with a name before them, after mailto: (with the query of such a link), in
 * quotation marks, and with a separator of a list at the end.
 */
const COPIED_EMAIL = new RegExp(`^(?:[^<>]*<${COPIED}\\s*>|${COPIED})[\\s;,]*$`, 'iu');

/**
 * Returns the address of a text such as `Ana Lima <ana@example.com>;`. Undefined: it has none, or several.
 * @rule which texts are an e-mail address: test/api/copied-contacts.long.test.ts
 */
export function readEmail(text: string): string | undefined {
  const [, bracketed, bare] = COPIED_EMAIL.exec(text) ?? [];
  return bracketed ?? bare;
}

/** The fewest digits of a phone number. */
export const PHONE_DIGITS_MIN = 6;

const EARLIEST_YEAR = '1900';

/**
 * Returns whether a date of the calendar, YYYY-MM-DD, is from 1900 to today in UTC.
 * @rule in which years a birth date is: test/api/copied-contacts.long.test.ts
 */
export function isInBirthYears(date: string): boolean {
  return date.length === 10 && date >= EARLIEST_YEAR && date <= new Date().toISOString().slice(0, 10);
}
