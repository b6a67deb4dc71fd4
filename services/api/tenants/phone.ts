import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';
import { InvalidInputError } from '../../platform/errors';

/** The most characters of a phone number in a request. */
export const PHONE_MAX = 40;
const LEAST_DIGITS = 6;

/**
 * Reads the phone number of a request with readPhone.
 * @throws InvalidInputError for fewer than 6 digits (400)
 */
export function phoneInput(field: string, phone: string, country: string): string {
  const read = readPhone(phone, country);
  if (read === undefined)
    throw new InvalidInputError('body', field, `must have at least ${LEAST_DIGITS} digits`);
  return read;
}

/**
 * Returns the number in E.164 form if the country can have such a number. Otherwise returns its digits, with a plus if the text begins with
 * one. Returns undefined for fewer than 6 digits.
 * @param phone one line of text
 * @param country ISO 3166 alpha-2, for numbers written without a country code
 */
export function readPhone(phone: string, country: string): string | undefined {
  const text = asciiDigits(phone);
  const digits = text.replace(/\D/g, '');
  if (digits.length < LEAST_DIGITS) return undefined;
  const parsed = parsePhoneNumberFromString(text, country as CountryCode);
  if (parsed?.isPossible()) return parsed.number;
  return text.startsWith('+') ? `+${digits}` : digits;
}

/** The fewest digits of a part of a phone number that is searched. */
const LEAST_SEARCHED = 5;

/**
 * Returns the digits that all spellings of a phone number have: those of its national part, without the 0 before it. For `+49 30 901820`,
 * `0049 (0)30 901820` and `030/901820` these are `30901820`. Returns undefined for a text that is not a phone number, or too short a part
 * of one.
 */
export function nationalDigits(text: string): string | undefined {
  const spelt = asciiDigits(text).trim();
  if (!/^\+?[\d\s()./-]+$/.test(spelt)) return undefined;
  const compact = spelt.replace('(0)', '').replace(/[^\d+]/g, '');
  const national = parsePhoneNumberFromString(compact.replace(/^00/, '+'))?.nationalNumber;
  const digits = (national ?? compact).replace(/^\+?0*/, '');
  return digits.length < LEAST_SEARCHED ? undefined : digits;
}

/** Converts Arabic, Persian and full-width digits to ASCII. The last four bits of their code are the value of the digit. */
function asciiDigits(text: string): string {
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, (digit) =>
    String(digit.charCodeAt(0) & 0xf),
  );
}
