import { isCalendarDate } from '../../platform/forms/days';

/** A local date and time, as far as a text has them. */
export interface LocalTime {
  /** YYYY-MM-DD */
  date?: string;
  /** HH:MM */
  time?: string;
}

/** Reads a text of the form that a map names. Returns undefined for another text. */
export type ReadLocalTime = (text: string) => LocalTime | undefined;

/** The parts of a form, such as DD/MM/YYYY h:mm A, and the texts that they match. */
const PARTS: Record<string, string> = {
  YYYY: '(?<year>\\d{4})',
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{2})',
  D: '(?<day>\\d{1,2})',
  HH: '(?<hour>\\d{2})',
  H: '(?<hour>\\d{1,2})',
  hh: '(?<half>\\d{2})',
  h: '(?<half>\\d{1,2})',
  mm: '(?<minute>\\d{2})',
  ss: '\\d{2}',
  A: '(?<noon>[AaPp])\\.?[Mm]\\.?',
};
const PART = /YYYY|MM?|DD?|HH?|hh?|mm|ss|A|[A-Za-z]+|[^A-Za-z]+/g;

/** The parts of which a form needs one. */
const NEEDED = {
  date: [['YYYY'], ['MM', 'M'], ['DD', 'D']],
  time: [['mm'], ['HH', 'H', 'hh', 'h']],
};

/**
 * Returns the reader of texts of a form, or what is wrong with the form.
 * @param form of YYYY, MM, M, DD, D, HH, H, hh, h, mm, ss and A; other characters but letters stand for themselves
 * @param needs the parts that the form must have
 */
export function localTimeReader(form: string, needs: ('date' | 'time')[]): ReadLocalTime | { issue: string } {
  const parts: string[] = form.match(PART) ?? [];
  const unknown = parts.find((part) => /^[A-Za-z]/.test(part) && PARTS[part] === undefined);
  const missing = needs
    .flatMap((need) => NEEDED[need])
    .find((some) => !some.some((one) => parts.includes(one)));
  const isTwice = parts.some((part, index) => PARTS[part] !== undefined && parts.indexOf(part) < index);
  const hasHalf = parts.includes('h') || parts.includes('hh');
  if (unknown !== undefined) return { issue: `has ${unknown}: use YYYY, MM, DD, HH, hh, mm, ss and A` };
  if (missing) return { issue: `must have ${missing.join(' or ')}` };
  if (isTwice) return { issue: 'must have each part once' };
  if (hasHalf !== parts.includes('A')) return { issue: 'must have hh or h together with A' };
  const source = parts.map((part) => PARTS[part] ?? part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`^${source.join('')}$`);
  return (text) => {
    const found = pattern.exec(text)?.groups;
    return found && localTimeOf(found);
  };
}

/** Returns the date and time of the parts. Undefined: there is no such date or time. */
function localTimeOf(parts: Record<string, string | undefined>): LocalTime | undefined {
  const { year, month, day, minute } = parts;
  const read: LocalTime = {};
  if (year !== undefined) {
    read.date = `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`;
    if (!isCalendarDate(read.date)) return undefined;
  }
  if (minute !== undefined) {
    const hour = hourOf(parts);
    if (hour === undefined || Number(minute) > 59) return undefined;
    read.time = `${String(hour).padStart(2, '0')}:${minute}`;
  }
  return read;
}

/** Returns the hour from 0 to 23. 12 AM is midnight, and 12 PM is noon. Undefined: there is no such hour. */
function hourOf({ hour, half, noon }: Record<string, string | undefined>): number | undefined {
  if (hour !== undefined) return Number(hour) <= 23 ? Number(hour) : undefined;
  const written = Number(half);
  if (written < 1 || written > 12) return undefined;
  return (written % 12) + (noon!.toUpperCase() === 'P' ? 12 : 0);
}

const GROUPED = {
  '.': /^-?\d{1,3}([, '\u00a0\u202f]\d{3})+(\.\d+)?$/,
  ',': /^-?\d{1,3}([. '\u00a0\u202f]\d{3})+(,\d+)?$/,
};

/**
 * Reads an amount as another system writes it, into a decimal text with a point. Thousands may be separated by the other sign, a space or an
 * apostrophe, in groups of three.
 * @returns undefined for any other text, also for one with a currency
 */
export function readAmount(text: string, decimal: '.' | ','): string | undefined {
  const grouped = GROUPED[decimal].test(text);
  const digits = grouped
    ? text.replace(decimal === '.' ? /[, '\u00a0\u202f]/g : /[. '\u00a0\u202f]/g, '')
    : text;
  const read = decimal === ',' ? digits.replace(',', '.') : digits;
  const isPlain = decimal === '.' || grouped || !text.includes('.');
  return isPlain && /^-?\d+(\.\d+)?$/.test(read) ? read : undefined;
}

/** Reads a party in one text. Returns the number of each name, or undefined for a text of another form. */
export type ReadPartyText = (text: string) => Map<string, number> | undefined;

/**
 * Returns the reader of parties that are written as the example, or what is wrong with the example.
 * @param example with two categories: "2 x Adult, 1 x Child", or "Adult: 2; Child: 1"
 */
export function partyReader(example: string): ReadPartyText | { issue: string } {
  const numbers = [...example.matchAll(/\d+/g)];
  const rule = { issue: 'must be an example with two categories, such as "2 x Adult, 1 x Child"' };
  const [first, second] = numbers;
  if (numbers.length !== 2 || !first || !second) return rule;
  const isNumberFirst = first.index === 0;
  const between = example.slice(first[0].length + first.index, second.index);
  const after = example.slice(second.index + second[0].length);
  const joiner = isNumberFirst
    ? joinerAfter(between, after)
    : joinerBefore(example.slice(0, first.index), between);
  const separator = (isNumberFirst ? /[^\p{L})]+$/u : /^[^\p{L}(]+/u).exec(between)?.[0];
  if (joiner === '' || separator === undefined) return rule;
  const source = isNumberFirst ? `^(\\d{1,3})${loose(joiner)}(.+)$` : `^(.+?)${loose(joiner)}(\\d{1,3})$`;
  const [split, pattern] = [new RegExp(loose(separator), 'u'), new RegExp(source, 'u')];
  return (text) => readParty(text.split(split), pattern, isNumberFirst);
}

function readParty(
  parts: string[],
  pattern: RegExp,
  isNumberFirst: boolean,
): Map<string, number> | undefined {
  const party = new Map<string, number>();
  for (const part of parts.map((one) => one.trim()).filter((one) => one !== '')) {
    const found = pattern.exec(part);
    if (!found) return undefined;
    const [number, name] = isNumberFirst ? [found[1]!, found[2]!] : [found[2]!, found[1]!];
    party.set(name.trim(), (party.get(name.trim()) ?? 0) + Number(number));
  }
  return party.size > 0 ? party : undefined;
}

/** Returns the text between a number and its name: the common beginning up to its last sign that is no letter. */
function joinerAfter(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return /^.*[^\p{L}]/u.exec(one.slice(0, length))?.[0] ?? '';
}

/** Returns the text between a name and its number: the signs at the end of the name. */
function joinerBefore(name: string, between: string): string {
  const joiner = /[^\p{L})]+$/u.exec(name)?.[0] ?? '';
  return between.endsWith(joiner) ? joiner : '';
}

/** Returns a pattern of a text whose spaces may be missing or several. */
function loose(text: string): string {
  const words = text.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return words === '' ? '\\s+' : `\\s*${words.replace(/\s+/g, '\\s+')}\\s*`;
}
