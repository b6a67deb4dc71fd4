import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';
import { type InputFault, InvalidInputError, type InputPlace } from '../../platform/errors';
import { CONTROL_CHARACTER, isCalendarDate } from '../../platform/text-forms';

import { BadInputError } from './http.errors';

/** Control characters, less tab and line breaks. */
const CONTROL_CHARACTER_IN_PROSE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const EMAIL = /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/;

/** One line of text in NFC, trimmed. @throws InvalidInputError (400) empty, too long, or with control characters */
export function textInput(
  field: string,
  value: string,
  maxLength: number,
  place: InputPlace = 'body',
): string {
  return cleanText({ place, field }, value, maxLength, CONTROL_CHARACTER);
}

/** The same, but line breaks and tabs may stand in it. */
export function proseInput(field: string, value: string, maxLength: number): string {
  return cleanText(
    { place: 'body', field },
    value.replaceAll('\r\n', '\n'),
    maxLength,
    CONTROL_CHARACTER_IN_PROSE,
  );
}

const LONGEST_SEARCH = 100;

/** What to search for, in NFC. Characters are counted, where a string's length counts an emoji twice. @throws InvalidInputError */
export function searchInput(field: string, value: string | undefined): string | undefined {
  const text = value?.normalize('NFC');
  if (text && [...text].length > LONGEST_SEARCH) {
    throw new InvalidInputError('query', field, `must have at most ${LONGEST_SEARCH} characters`);
  }
  return text;
}

export function emailInput(field: string, value: string): string {
  const email = textInput(field, value, 254);
  if (!EMAIL.test(email)) throw new InvalidInputError('body', field, 'must be an e-mail address');
  return email;
}

/** YYYY-MM-DD of a day that exists. @throws InvalidInputError */
export function dateInput(place: InputPlace, field: string, value: string): string {
  if (!isCalendarDate(value))
    throw new InvalidInputError(place, field, 'must be a calendar date, YYYY-MM-DD');
  return value;
}

export function optionalDate(
  place: InputPlace,
  field: string,
  value: string | undefined,
): string | undefined {
  return value === undefined ? undefined : dateInput(place, field, value);
}

function cleanText(
  { place, field }: { place: InputPlace; field: string },
  value: string,
  maxLength: number,
  forbidden: RegExp,
): string {
  const refuse = (message: string) => new InvalidInputError(place, field, message);
  if (!value.isWellFormed()) throw refuse('must be well-formed Unicode');
  if (forbidden.test(value)) throw refuse('must not hold control characters');
  const text = value.normalize('NFC').trim();
  if (text === '') throw refuse('must not be empty');
  if ([...text].length > maxLength) throw refuse(`must have at most ${maxLength} characters`);
  return text;
}

const LONGEST_PHONE = 40;

/**
 * E.164 by the tenant's country where the text parses, else its digits, with a leading plus if it had one.
 * @param country ISO 3166 alpha-2, for numbers written without a country code
 */
export function phoneInput(field: string, value: string, country: string): string {
  const text = asciiDigits(textInput(field, value, LONGEST_PHONE));
  const digits = text.replace(/\D/g, '');
  if (digits.length < 6) throw new InvalidInputError('body', field, 'must have at least 6 digits');
  const parsed = parsePhoneNumberFromString(text, country as CountryCode);
  if (parsed?.isPossible()) return parsed.number;
  return text.startsWith('+') ? `+${digits}` : digits;
}

/** Arabic, Persian and full-width digits, as customers type them; the last four bits of each are its value. */
function asciiDigits(text: string): string {
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, (digit) =>
    String(digit.charCodeAt(0) & 0xf),
  );
}

/** Reads every part, and names all that are at fault, where each reader alone stops at its own. @throws BadInputError (400) */
export function readAll<T extends object>(readers: { [K in keyof T]: () => T[K] }): T {
  const faults: InputFault[] = [];
  const parts = Object.entries(readers).map(([name, read]) => {
    try {
      return [name, (read as () => unknown)()];
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      faults.push(...error.errors);
      return [name, undefined];
    }
  });
  if (faults.length > 0) throw new BadInputError('validation_failed', faults);
  return Object.fromEntries(parts) as T;
}

/** What was left out is null. */
export function optional<V, T>(value: V | undefined, read: (value: V) => T): T | null {
  return value === undefined ? null : read(value);
}
