import { foldName } from '../../platform/forms/fold-name';
import { type PartialCustomer, phonesOf } from './customer';

type Finder = (folded: string) => boolean;

/** Separators: characters that are neither letters nor digits. They become one space before names are compared. */
const BETWEEN = /[^\p{L}\p{M}\p{N}]+/gu;
/** Matches the optional space between parts of one word. */
const GAP = ' ?';
/** Matches a text in scripts that write no spaces between words. Names in such scripts are found without word boundaries. */
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+$/u;
/** The shortest full name that is searched within longer words. Shorter names occur in words by chance. */
const LEAST_WITHIN_A_WORD = 8;
/** The shortest local part of an email that is searched without its domain. */
const LEAST_LOCAL_PART = 5;
/** The shortest national number that is searched without its country code. */
const LEAST_NATIONAL = 6;
/** Country codes of two digits (E.164). The codes 1 and 7 have one digit; all others have three. */
const TWO_DIGITS = /^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/**
 * Returns a function that checks whether a text identifies one of these people. Some websites build references and keys from the name,
 * phone or email of a customer. The websites may change the case, the accents or the order of the words, group the digits, or write a phone
 * number in national form. The function matches whole words and whole numbers, so that Mr Book is not found in `booking-7`.
 */
export function personFinder(people: PartialCustomer[]): (text: string) => boolean {
  const finders = people.flatMap(({ name, phone, phoneAsSent, email }) => [
    ...(name === null ? [] : spellingsOf(name).map(nameFinder)),
    ...phonesOf({ phone, phoneAsSent }).map((one) => matching(phonePattern(foldName(one)))),
    ...(email === null ? [] : [emailFinder(foldName(email), name === null ? '' : foldName(name))]),
  ]);
  return (text) => readingsOf(text).some((reading) => finders.some((finds) => finds(reading)));
}

/**
 * Returns the forms of the text that are searched: decoded from percent-encoding and folded, both without and with a split of camelCase
 * words.
 */
function readingsOf(text: string): string[] {
  const plain = decoded(text);
  const readings = spellingsOf(plain, plain.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'));
  return readings.map((reading) => reading.replace(BETWEEN, ' '));
}

function decoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/giu, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}

const UMLAUTS: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' };

/** Returns the folded texts, each in both spellings of umlauts: ü as u and as ue. */
export function spellingsOf(...texts: string[]): string[] {
  const spelt = texts.map((text) =>
    text.normalize('NFC').replace(/[äöüåø]/giu, (letter) => UMLAUTS[letter.toLowerCase()]!),
  );
  return [...new Set([...texts, ...spelt].map(foldName))];
}

/**
 * Finds a text that contains all words of the name, in any order. If the name has three or more words, two words of at least three
 * characters are enough. Also finds the whole name written as one word.
 * @param name folded
 */
function nameFinder(name: string): Finder {
  const words = [...new Set(name.split(/[\s,;]+/u))].map(partsOf).filter((parts) => parts.length > 0);
  if (words.length === 0) return () => false;
  const significant = words.filter((parts) => lengthOf(parts) > 2);
  const [sought, needed] =
    words.length > 2 && significant.length > 1 ? [significant, 2] : [words, words.length];
  const patterns = sought.map((parts) => wordPattern(parts));
  const inOneWord = [words, [...words].reverse()].map((order) =>
    wordPattern(order.flat(), LEAST_WITHIN_A_WORD),
  );
  return (text) =>
    patterns.filter((pattern) => pattern.test(text)).length >= needed ||
    inOneWord.some((pattern) => pattern.test(text));
}

/**
 * Finds the address, also if it is written with `at` and `dot` in place of the signs. Finds the local part without the domain if it is
 * specific to the person: if it has both letters and digits, or contains a word of the name.
 */
function emailFinder(email: string, name: string): Finder {
  const at = email.lastIndexOf('@');
  const local = partsOf(email.slice(0, Math.max(at, 0)));
  const domain = partsOf(email.slice(at + 1));
  if (local.length === 0 || domain.length === 0) return () => false;
  const whole = bounded(`${local.join(GAP)}${GAP}(?:at${GAP})?${domain.join(`${GAP}(?:dot${GAP})?`)}`);
  const namesOf = partsOf(name).filter((part) => lengthOf([part]) > 2);
  const own =
    /\p{L}.*\p{N}|\p{N}.*\p{L}/u.test(local.join('')) ||
    namesOf.some((part) => local.join('').includes(part));
  const alone = own && lengthOf(local) >= LEAST_LOCAL_PART ? wordPattern(local) : undefined;
  return (text) => whole.test(text) || (alone?.test(text) ?? false);
}

/** Splits a text into words: the runs of characters between separators. */
function partsOf(text: string): string[] {
  return text.split(BETWEEN).filter(Boolean);
}

function lengthOf(parts: string[]): number {
  return [...parts.join('')].length;
}

/** @param leastWithin a word of at least this length is also found within a longer word */
function wordPattern(parts: string[], leastWithin = Infinity): RegExp {
  const [joined, length] = [parts.join(GAP), lengthOf(parts)];
  const within = length >= leastWithin || (length > 1 && UNSPACED.test(parts.join('')));
  return within ? new RegExp(joined) : bounded(joined);
}

/**
 * Requires that no letter stands before or after the pattern. Avoids Unicode classes: an expression with a dozen of them takes 16 ms to
 * compile.
 */
function bounded(pattern: string): RegExp {
  return new RegExp(`(?<![^ 0-9])(?:${pattern})(?![^ 0-9])`);
}

function matching(pattern: RegExp | undefined): Finder {
  return (text) => pattern?.test(text) ?? false;
}

/**
 * Builds a pattern that finds a phone number in international and in national form, with or without groups of digits: for +4930901820 also
 * `0049 30 901820` and `030-901820`. Does not find it as a part of a longer number.
 * @param phone with `+` or `00`, or in national form
 * @returns a pattern for texts whose other characters are replaced by single spaces; undefined for less than five digits
 */
function phonePattern(phone: string): RegExp | undefined {
  const digits = phone.replace(/[^0-9]/g, '');
  if (digits.length < 5) return undefined;
  const international = internationalDigits(phone, digits);
  if (international !== undefined) {
    const length = countryCodeLength(international);
    const rest = international.slice(length);
    const isLong = rest.length >= LEAST_NATIONAL;
    const code = international.slice(0, length);
    return whole(
      `(?:0{0,2}${apart(code)}${GAP}(?:${MOBILE_PREFIX[code] ?? 0}${GAP})?)${isLong ? '?' : ''}(?:0${GAP})?${apart(rest)}`,
    );
  }
  if (digits.startsWith('0')) {
    const abroad = `(?:(?:00${GAP})?[0-9]{1,3}${GAP})?`;
    return whole(`${digits.length > LEAST_NATIONAL ? abroad : ''}(?:0${GAP})?${apart(digits.slice(1))}`);
  }
  return whole(apart(digits));
}

/** The digit that some websites write after the country code before a mobile number of Mexico or Argentina. */
const MOBILE_PREFIX: Record<string, number> = { '52': 1, '54': 9 };

/** Returns the digits from the country code on; undefined for a number in national form. */
function internationalDigits(phone: string, digits: string): string | undefined {
  if (/^\s*\+/.test(phone)) return digits;
  return digits.startsWith('00') ? digits.slice(2) : undefined;
}

function countryCodeLength(international: string): number {
  if (/^[17]/.test(international)) return 1;
  return TWO_DIGITS.test(international) ? 2 : 3;
}

function apart(digits: string): string {
  return [...digits].join(GAP);
}

function whole(pattern: string): RegExp {
  return new RegExp(`(?<![0-9])(?:${pattern})(?![0-9])`);
}
