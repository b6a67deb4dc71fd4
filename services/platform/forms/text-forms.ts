import { ADDRESS } from './contact-forms';
import { LANGUAGE_TAG_MAX } from './lengths';

/** Text formats that the API, the webhook queue and the terminal share. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const SLUG = /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/;
const LANGUAGE_TAG = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/;

/** Marks that change the direction of the text after them until their end: embeddings, overrides and isolates (UAX 9). */
const DIRECTION = '\\u202a-\\u202e\\u2066-\\u2069';
/** Marks of direction, and halves of surrogate pairs. */
const MISLEADING = `${DIRECTION}\\p{Cs}`;
/** Matches characters that one line of text must not have: control characters, line breaks, tabs, and misleading characters. */
export const CONTROL_CHARACTER = new RegExp(`[\\p{Cc}\\u2028\\u2029${MISLEADING}]`, 'u');
/** Matches characters that a text of several lines must not have: misleading ones, and control characters except tabs and line breaks. */
export const CONTROL_CHARACTER_IN_PROSE = new RegExp(`(?![\\t\\n\\r])[\\p{Cc}${MISLEADING}]`, 'u');

const MARK_OF_DIRECTION = new RegExp(`[${DIRECTION}]`, 'g');
/** The ends of an embedding or override, and of an isolate. */
const END_OF_EMBEDDING = '\u202c';
const END_OF_ISOLATE = '\u2069';

/** Removes the marks of direction, which address books put around phone numbers and e-mail addresses. */
export function withoutDirection(text: string): string {
  return text.replace(MARK_OF_DIRECTION, '');
}

/**
 * Returns whether each mark of direction ends within the text. Such marks change nothing around the text, and names that are written from
 * the right have them.
 * @rule which marks of direction a text may have: test/api/copied-contacts.long.test.ts
 */
export function endsDirection(text: string): boolean {
  const ends: string[] = [];
  for (const [mark] of text.matchAll(MARK_OF_DIRECTION)) {
    const isEnd = mark === END_OF_EMBEDDING || mark === END_OF_ISOLATE;
    if (!isEnd) ends.push(mark < '\u2066' ? END_OF_EMBEDDING : END_OF_ISOLATE);
    else if (ends.pop() !== mark) return false;
  }
  return ends.length === 0;
}

/**
 * Returns whether the text has a control character, or a mark of direction that does not end within the text.
 * @param forbidden CONTROL_CHARACTER or CONTROL_CHARACTER_IN_PROSE
 */
export function hasControlCharacter(text: string, forbidden: RegExp): boolean {
  return !endsDirection(text) || forbidden.test(withoutDirection(text));
}

/** Matches characters without a shape: joiners, marks of direction, variation selectors, the byte order mark, fillers. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u;
/** Scripts in which a joiner or a variation selector changes the shape of its neighbours. */
const JOINING_SCRIPTS =
  'Arab Syrc Mand Nkoo Mong Phag Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt'.split(' ');
const JOINED = `(?!\\p{DI})[${JOINING_SCRIPTS.map((script) => `\\p{scx=${script}}`).join('')}]`;
const PICTURE = '\\p{Extended_Pictographic}';
/**
 * Matches invisible characters that change the displayed text. They are between letters of JOINING_SCRIPTS, or in emoji that consist of
 * several characters.
 */
const SHAPING = [
  `(?<=${JOINED})[\\u180e\\u200c\\u200d]`,
  `(?<=[${PICTURE}\\p{Emoji_Modifier}]\\ufe0f?)\\u200d(?=${PICTURE})`,
  `(?<=${JOINED}|[\\p{sc=Han}\\p{S}${PICTURE}])\\p{Variation_Selector}`,
  // Matches the flags of regions: a black flag, the letters of the region as tag characters, and an end tag.
  '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f}',
].join('|');
let shapingOrInvisible: RegExp | undefined;

/**
 * Removes the invisible characters that do not change the displayed text. Compiles the pattern at the first text that needs it, because that
 * takes milliseconds of each start.
 * @param keeps returns true for another character that stays
 */
function dropInvisible(text: string, keeps: (character: string) => boolean): string {
  if (!INVISIBLE.test(text)) return text;
  shapingOrInvisible ??= new RegExp(`(${SHAPING})|${INVISIBLE.source}`, 'gu');
  return text.replace(
    shapingOrInvisible,
    (found, shaping?: string) => shaping ?? (keeps(found) ? found : ''),
  );
}

/**
 * Removes invisible characters from a text of one line, because other programs add such characters to copied text. Two names that differ
 * only in invisible characters look the same. Keeps invisible characters that change the displayed text.
 */
export function withoutInvisible(text: string): string {
  return dropInvisible(text, () => false);
}

/** Removes invisible characters from the name of a person like withoutInvisible, but keeps marks of direction. Empty: nothing is visible. */
export function cleanName(name: string): string {
  if (withoutInvisible(name).trim() === '') return '';
  return dropInvisible(name, (character) => withoutDirection(character) === '');
}

/**
 * Accepts a UUID in upper or lower case. Check an id before a query: for any other text PostgreSQL would throw an error, although the id is
 * only unknown.
 */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The ends of the range of all UUIDs. */
const FIRST_UUID = '00000000-0000-0000-0000-000000000000';
const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Returns the lowest and the highest UUID that begin with the text. Undefined if no UUID can begin with it. */
export function uuidsBeginningWith(text: string): [first: string, last: string] | undefined {
  const first = text + FIRST_UUID.slice(text.length);
  return isUuid(first) ? [first, text + LAST_UUID.slice(text.length)] : undefined;
}

/** Returns whether the text has the form of the code of a price category. Refuses the name that has a meaning in JavaScript objects. */
export function isCategoryCode(text: string): boolean {
  return /^[a-z0-9_]{2,32}$/.test(text) && text !== '__proto__';
}

/** Accepts 2 to 63 of a-z, 0-9 and inner dashes. */
export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

/** Accepts the form of a language tag (BCP 47). The parameter `lang` of the API has the same pattern and the same limit. */
export function isLanguageTag(text: string): boolean {
  return text.length <= LANGUAGE_TAG_MAX && LANGUAGE_TAG.test(text);
}

const EMAIL = new RegExp(`^${ADDRESS}$`, 'u');

export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}

const NOT_PRINTED = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * Accepts the name of a person who acts: 1 to 100 printed characters. A name with an invisible character could imitate another person's
 * name.
 */
export function isActorName(text: string): boolean {
  const { length } = [...text];
  return length >= 1 && length <= 100 && text === text.trim() && !NOT_PRINTED.test(text);
}

/* The forms of numbers, which flags of the terminal and cells of CSV files share. */

/**
 * Reads a whole number of at most 10 digits: `12`.
 * @returns undefined for any other text, so for `1.000`, `12,5`, `-1` and `1e3`
 */
export function readWholeNumber(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

const DECIMAL = /^-?\d{1,13}(?:\.(\d{1,20}))?$/;

/**
 * Counts the decimals of a decimal text as it is written: 3 for `1.490`. The point is always the decimal point.
 * @returns undefined for any other text, such as `1,490`, `1.` and `.5`
 */
export function countDecimals(text: string): number | undefined {
  const match = DECIMAL.exec(text);
  return match ? (match[1] ?? '').length : undefined;
}

/** Accepts an https URL without a user name, which a page may link to or load. */
export function isHttpsAddress(text: string): boolean {
  if (!/^https:\/\/\S+$/u.test(text) || CONTROL_CHARACTER.test(text) || INVISIBLE.test(text)) return false;
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** Accepts a path on this host. Browsers take `//host` and `/\host` for other hosts. */
export function isOwnPath(text: string): boolean {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(text);
}

/**
 * Reserved names (RFC 6761, 6762, 8375, and ICANN's .internal). A host name that ends with such a name is a different machine in each
 * network.
 */
export const INTERNAL_NAMES: readonly string[] = ['localhost', 'local', 'internal', 'home.arpa'];

/** Replaces hidden text. */
export const HIDDEN = '…';

/** Masks `Zoë Müller` as `Z… M…`. */
export function maskName(name: string): string {
  const words = withoutDirection(name).split(/\s+/).filter(Boolean);
  return words.map((word) => `${[...word][0]}${HIDDEN}`).join(' ') || HIDDEN;
}

/** Masks `+37120000000` as `+37…00`: the first and the last digits help to tell two numbers apart. */
export function maskPhone(phone: string): string {
  const plus = phone.startsWith('+') ? '+' : '';
  const digits = phone.replace(/\D/g, '');
  return digits.length < 7 ? HIDDEN : `${plus}${digits.slice(0, 2)}${HIDDEN}${digits.slice(-2)}`;
}

/** Masks `zoe@example.com` as `z…@e….com`. */
export function maskEmail(email: string): string {
  const match = /^(.+)@(.+)([.][^.@]+)$/su.exec(email);
  if (!match) return HIDDEN;
  const [, box, host, ending] = match as unknown as [string, string, string, string];
  return `${[...box][0]}${HIDDEN}@${[...host][0]}${HIDDEN}${ending}`;
}

/** Replaces the secret part of each credential of ours in a text that may go to a log or an answer. */
export function hideCredentials(text: string): string {
  return text.replace(/svc_(live|widget)_\w+/g, 'svc_$1_…');
}
