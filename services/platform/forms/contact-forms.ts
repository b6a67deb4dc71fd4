/*
 * The forms of contact details, for the API and for the booking element. The build copies this file into the element, so it imports nothing.
 */

/** The part of an address before the sign, and each label after it, have none of the characters that mean something around an address. */
export const ADDRESS =
  '[^\\s@<>()[\\]:;,\\\\]{1,64}@[^\\s@<>()[\\]:;,\\\\.]+(?:\\.[^\\s@<>()[\\]:;,\\\\.]+)+';
const COPIED = `(?:\\s*mailto:)?\\s*(${ADDRESS})`;
/**
 * Matches an address as programs copy it: in angle brackets, also with a name before them, after mailto:, and with a separator of a list at
 * the end.
 */
const COPIED_EMAIL = new RegExp(`^(?:[^<>]*<${COPIED}\\s*>|${COPIED})[\\s;,]*$`, 'i');

/** Returns the address of a text such as `Ana Lima <ana@example.com>;`. Undefined: it has none, or several. */
export function readEmail(text: string): string | undefined {
  const [, bracketed, bare] = COPIED_EMAIL.exec(text) ?? [];
  return bracketed ?? bare;
}

/** The fewest digits of a phone number. */
export const PHONE_DIGITS_MIN = 6;

const EARLIEST_YEAR = '1900';

/** Returns whether a date of the calendar, YYYY-MM-DD, is from 1900 to today in UTC. */
export function isInBirthYears(date: string): boolean {
  return date.length === 10 && date >= EARLIEST_YEAR && date <= new Date().toISOString().slice(0, 10);
}
