import { foldName } from '../catalog/fold-name';
import { phonePattern } from './phone-pattern';

/** What is known of somebody. */
export interface Person {
  name: string | null;
  phone: string | null;
  email: string | null;
}

type Finder = (folded: string) => boolean;

/** Of a reading that is neither letter nor digit: there it is one space. */
const BETWEEN = /[^\p{L}\p{M}\p{N}]+/gu;
/** What may stand between letters that belong together. */
const GAP = ' ?';
/** Scripts that put no space between words, so that a name in them ends at no boundary. */
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+$/u;
/** Both names in one word: shorter ones stand in other words by chance. */
const LEAST_WITHIN_A_WORD = 8;
/** Of an email's part before the @, to stand for the whole. */
const LEAST_LOCAL_PART = 5;

/**
 * Does a text say who one of these people is? References and keys are the website's own, and some build them of name, phone or
 * email: in other letters' case, with or without accents, words turned round, digits in groups or as they are dialled at home.
 * Words and digits count whole, so that Mr Book is not found in `booking-7`.
 */
export function personFinder(people: Person[]): (text: string) => boolean {
  const finders = people.flatMap(({ name, phone, email }) => [
    ...(name === null ? [] : spellingsOf(name).map(nameFinder)),
    ...(phone === null ? [] : [matching(phonePattern(foldName(phone)))]),
    ...(email === null ? [] : [emailFinder(foldName(email), name === null ? '' : foldName(name))]),
  ]);
  return (text) => readingsOf(text).some((reading) => finders.some((finds) => finds(reading)));
}

/** As it stands, with what is percent-encoded decoded, and with camelCase as words of their own. */
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

/** Folded, ü as u and as ue. */
function spellingsOf(...texts: string[]): string[] {
  const spelt = texts.map((text) =>
    text.normalize('NFC').replace(/[äöüåø]/giu, (letter) => UMLAUTS[letter.toLowerCase()]!),
  );
  return [...new Set([...texts, ...spelt].map(foldName))];
}

/**
 * All words of the name, in any order; of three or more any two that are no particles. Or the whole name in one word.
 * @param name folded
 */
function nameFinder(name: string): Finder {
  const words = [...new Set(name.split(/[\s,;]+/u))].map(partsOf).filter((parts) => parts.length > 0);
  if (words.length === 0) return () => false;
  const telling = words.filter((parts) => lengthOf(parts) > 2);
  const [sought, needed] = words.length > 2 && telling.length > 1 ? [telling, 2] : [words, words.length];
  const patterns = sought.map((parts) => wordPattern(parts));
  const inOneWord = [words, [...words].reverse()].map((order) =>
    wordPattern(order.flat(), LEAST_WITHIN_A_WORD),
  );
  return (text) =>
    patterns.filter((pattern) => pattern.test(text)).length >= needed ||
    inOneWord.some((pattern) => pattern.test(text));
}

/**
 * The address, also with `at` and `dot`; or what stands before the @, where that is no word that anybody may use: it has digits,
 * or a word of the name.
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

/** Letters and digits, as they are divided. */
function partsOf(text: string): string[] {
  return text.split(BETWEEN).filter(Boolean);
}

function lengthOf(parts: string[]): number {
  return [...parts.join('')].length;
}

/** @param leastWithin so long it counts within a longer word, too */
function wordPattern(parts: string[], leastWithin = Infinity): RegExp {
  const [joined, length] = [parts.join(GAP), lengthOf(parts)];
  const within = length >= leastWithin || (length > 1 && UNSPACED.test(parts.join('')));
  return within ? new RegExp(joined) : bounded(joined);
}

/** No letter before and after. Without classes of Unicode: a regular expression with a dozen of them takes 16 ms to compile. */
function bounded(pattern: string): RegExp {
  return new RegExp(`(?<![^ 0-9])(?:${pattern})(?![^ 0-9])`);
}

function matching(pattern: RegExp | undefined): Finder {
  return (text) => pattern?.test(text) ?? false;
}
