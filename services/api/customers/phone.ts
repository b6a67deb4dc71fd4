import { type CountryCode, findPhoneNumbersInText, parsePhoneNumberFromString } from 'libphonenumber-js';
import { PHONE_DIGITS_MIN } from '../../platform/forms/contact-forms';
import { chain, type Form, ofText } from '../../platform/forms/form';
import { PHONE_MAX } from '../../platform/forms/lengths';
import { contactForm } from '../../platform/forms/texts';

/** A phone number, and the text of which it is a part. */
export interface PhoneInput {
  /** E.164, or digits, with a plus if the text has one. */
  phone: string;
  /** The text as sent. Undefined: it says no more than the number, whose spelling makes no difference. */
  phoneAsSent?: string;
}

/** How the phone numbers of a request are read. */
export interface PhoneReading {
  /** ISO 3166 alpha-2, for numbers written without a country code. */
  country: string;
  /** Undefined: as this release reads them. */
  release?: '0.1.0';
}

/** Returns the form of a phone number of at least 6 digits, which readPhoneBy reads. */
export function phoneForm(reading: PhoneReading): Form<PhoneInput> {
  return chain(contactForm(PHONE_MAX), keptPhoneForm(reading));
}

/** Returns the form of a phone number that was read as a contact before. */
export function keptPhoneForm(reading: PhoneReading): Form<PhoneInput> {
  return ofText((text) => {
    const value = readPhoneBy(reading, text);
    return value === undefined ? { issue: `must have at least ${PHONE_DIGITS_MIN} digits` } : { value };
  });
}

/**
 * Returns the first number of the text that its country can have, in E.164 form. Without such a number, returns the digits of the text.
 * Returns undefined for fewer than 6 digits.
 * @param sent one line of text, such as `030 901820 / 0176 12345678` or `+49 30 901820 (Anna)`
 * @param country ISO 3166 alpha-2, for numbers written without a country code
 * @rule which number of a text is the phone: test/unit/phone.test.ts
 */
export function readPhone(sent: string, country: string): PhoneInput | undefined {
  const text = asciiDigits(sent);
  if (!hasDigits(text)) return undefined;
  const parts = partsOf(text);
  for (const part of parts) {
    const found = parsePart(part, country);
    if (found) return { phone: found.number, phoneAsSent: saysMore(text, found.digits) ? sent : undefined };
  }
  const [part = text] = parts;
  return {
    phone: digitsWithPlus(part),
    phoneAsSent: saysMore(text, digitsOf(part).length) ? sent : undefined,
  };
}

/** Reads a phone number as a release does. @returns undefined for fewer than 6 digits */
export function readPhoneBy({ country, release }: PhoneReading, text: string): PhoneInput | undefined {
  return release === '0.1.0' ? readPhoneAs010(text, country) : readPhone(text, country);
}

/** Reads a phone number as release 0.1.0 did, for the digests that it has stored (EARLIER in idempotency/fingerprint.ts). */
function readPhoneAs010(sent: string, country: string): PhoneInput | undefined {
  const text = asciiDigits(sent);
  if (!hasDigits(text)) return undefined;
  const parsed = parsePhoneNumberFromString(text, country as CountryCode);
  if (parsed?.isPossible()) return { phone: parsed.number };
  return { phone: text.startsWith('+') ? `+${digitsOf(text)}` : digitsOf(text) };
}

/** Returns the digits of each number of a text, with a plus if the number has one. */
export function numbersIn(text: string): string[] {
  return partsOf(asciiDigits(text)).map(digitsWithPlus);
}

/**
 * Matches the end of a number: letters, but not those of an extension; a sign that lists several numbers; a parenthesis that no digits
 * follow; a comma or a slash before + or 0; a space before +, or before 00 and the digits of a number abroad.
 */
const ENDS =
  /(?!(?:ext|extn|extension|x)[.:\s]*\d)\p{L}+|[;|&]|\((?![^()]*\)\s*\d)|(?<=\d)\s*[,/]\s*(?=\+|0)|(?<=\d)\s+(?=\+|00[1-9](?:[^\d\p{L}]*\d){8})/giu;

/** Returns the parts of a text that may be a number each. */
function partsOf(text: string): string[] {
  return text.split(ENDS).flatMap(splitAtSigns).filter(hasDigits);
}

/** Splits a part at its commas and slashes if each piece is long enough for a number. */
function splitAtSigns(part: string): string[] {
  const pieces = part.split(/[,/]/);
  return pieces.every(hasDigits) ? pieces : [part];
}

function hasDigits(part: string): boolean {
  return digitsOf(part).length >= PHONE_DIGITS_MIN;
}

/** @returns the number in E.164 form, and how many digits of the part belong to it */
function parsePart(part: string, country: string): { number: string; digits: number } | undefined {
  const whole = parsePhoneNumberFromString(part, country as CountryCode);
  if (whole && isMexican(whole))
    return { number: withoutMobilePrefix(whole.number), digits: digitsOf(part).length };
  if (whole?.isPossible()) {
    return { number: whole.number, digits: digitsOf(part).length - (whole.ext?.length ?? 0) };
  }
  // Several numbers without a sign between them are too long for one number.
  const [first] = findPhoneNumbersInText(part, { defaultCountry: country as CountryCode });
  if (!first || first.startsAt !== part.search(/[+(\d]/)) return undefined;
  return { number: first.number.number, digits: digitsOf(part.slice(first.startsAt, first.endsAt)).length };
}

/** Mexico dropped the prefixes of mobile numbers in 2019. Matches a number with one of them: 1 after the country code, or those at home. */
const MEXICAN_PREFIX = /^\+52(?:1|01|044|045)(?=\d{10}$)/;

function isMexican({ number }: { number: string }): boolean {
  return MEXICAN_PREFIX.test(number);
}

function withoutMobilePrefix(number: string): string {
  return number.replace(MEXICAN_PREFIX, '+52');
}

/** Returns whether the text has a letter, or more digits than the number. @param digits the number of digits that belong to the number */
function saysMore(text: string, digits: number): boolean {
  return (
    digitsOf(text).length > digits ||
    /\p{L}/u.test(text.replace(/^\s*(?:tel|phone|mobile)?[.:\s]*(?=[+(\d])/i, ''))
  );
}

function digitsWithPlus(text: string): string {
  return `${/^\D*\+/.test(text) ? '+' : ''}${digitsOf(text)}`;
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** The fewest digits of a part of a phone number that is searched. */
const LEAST_SEARCHED = 5;
/** A prefix that not every spelling of a number has: 1 of Mexican and 9 of Argentine mobiles, and 8 before Russian and Kazakh numbers. */
const OPTIONAL_PREFIX: Record<string, RegExp> = { '52': /^1(?=\d{10}$)/, '54': /^9(?=\d{10}$)/ };
const RUSSIAN_TRUNK = /^8(?=\d{10}$)/;

/**
 * Returns the digits that all spellings of a phone number have: those of its national part, without the prefixes before it. For
 * `+49 30 901820`, `0049 (0)30 901820` and `030/901820` these are `30901820`. Returns undefined for a text that is not a phone number, or
 * too short a part of one.
 */
export function nationalDigits(text: string): string | undefined {
  const spelt = asciiDigits(text).trim();
  if (!/^\+?[\d\s()./-]+$/.test(spelt)) return undefined;
  const compact = spelt.replace('(0)', '').replace(/[^\d+]/g, '');
  const parsed = parsePhoneNumberFromString(compact.replace(/^00/, '+'));
  const digits = parsed
    ? parsed.nationalNumber.replace(OPTIONAL_PREFIX[parsed.countryCallingCode] ?? /^$/, '')
    : compact.replace(RUSSIAN_TRUNK, '');
  const national = digits.replace(/^\+?0*/, '');
  return national.length < LEAST_SEARCHED ? undefined : national;
}

/**
 * Returns whether two texts are spellings of one phone number. If both have a country code, the numbers are compared with it, otherwise only
 * their national digits.
 */
export function isSamePhone(one: string, other: string): boolean {
  const [ofOne, ofOther] = [internationalForm(one), internationalForm(other)];
  if (ofOne !== undefined && ofOther !== undefined) return ofOne === ofOther;
  const digits = nationalDigits(one);
  return digits === undefined ? one === other : digits === nationalDigits(other);
}

/** Returns the number with its country code, without the prefixes that not every spelling has. Undefined: it has no country code. */
export function internationalForm(text: string): string | undefined {
  const compact = asciiDigits(text)
    .replace('(0)', '')
    .replace(/[^\d+]/g, '')
    .replace(/^00/, '+');
  const parsed = compact.startsWith('+') ? parsePhoneNumberFromString(compact) : undefined;
  return parsed && `+${parsed.countryCallingCode}${nationalDigits(compact)}`;
}

/** Converts Arabic, Persian and full-width digits to ASCII. The last four bits of their code are the value of the digit. */
function asciiDigits(text: string): string {
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, (digit) =>
    String(digit.charCodeAt(0) & 0xf),
  );
}
