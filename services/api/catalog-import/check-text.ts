import { isCalendarDate, isHttpsAddress, isOwnPath, isSlug } from '../../platform/text-forms';
import { currencyDigits } from '../pricing/currency';
import { isCountry } from '../tenants/country';
import { isTourSlug } from '../catalog/tour';
import type { Check } from './check';

const LINE_BREAKS = /[ \t]*[\t\n\v\f\r\u0085\u2028\u2029]\s*/g;
/** Control characters, halves of surrogate pairs, and marks that turn the reading direction of what follows. */
const FORBIDDEN = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;
const FORBIDDEN_BUT_LINES = /[^\P{Cc}\n\t]|[\p{Cs}\u202a-\u202e\u2066-\u2069]/u;

const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(\.\d{1,3})?(Z|[+-]\d{2}:\d{2})$/;

/** Text of one line; line breaks in it become one space. */
export function line(atMost: number): Check<string> {
  return limited(atMost, FORBIDDEN, (value) => value.replace(LINE_BREAKS, ' '));
}

/** Text of paragraphs. */
export function text(atMost: number): Check<string> {
  return limited(atMost, FORBIDDEN_BUT_LINES, (value) => value.replace(/\r\n?|\u2028|\u2029/g, '\n'));
}

function limited(atMost: number, forbidden: RegExp, fold: (value: string) => string): Check<string> {
  return (value, report) => {
    if (typeof value !== 'string') return report('must be text');
    const folded = fold(value).normalize('NFC').trim();
    if (folded === '') return report('must not be empty');
    if (forbidden.test(folded)) return report('must not contain control characters');
    // Code points, as the database counts.
    if (folded.length > atMost && [...folded].length > atMost)
      return report(`must have at most ${atMost} characters`);
    return folded;
  };
}

export const slug: Check<string> = (value, report) =>
  isText(value) && isTourSlug(value)
    ? value
    : report('must be 2 to 63 of a-z, 0-9 and inner dashes, and must not look like a UUID');

export const continent: Check<string> = (value, report) =>
  isText(value) && isSlug(value) ? value : report('must be a lower-case slug such as south-america');

export const country: Check<string> = (value, report) =>
  isText(value) && isCountry(value)
    ? value
    : report('must be an ISO 3166 code of two capital letters, such as DE');

export const currency: Check<string> = (value, report) =>
  isText(value) && /^[A-Z]{3}$/.test(value) && currencyDigits(value) !== undefined
    ? value
    : report('must be an ISO 4217 code of three capital letters, such as EUR');

/** A calendar date; stays the text it is. */
export const date: Check<string> = (value, report) =>
  isText(value) && isDate(value) ? value : report('must be a date of the calendar as YYYY-MM-DD');

/** RFC 3339 with any offset; kept in UTC. */
export const instant: Check<string> = (value, report) => {
  const day = isText(value) ? INSTANT.exec(value)?.[1] : undefined;
  const time = day && isDate(day) ? new Date(value as string) : undefined;
  if (!time || Number.isNaN(time.getTime())) return report('must be a time such as 2027-05-01T12:00:00Z');
  return time.toISOString();
};

/** An IANA name; whether the database knows it too is asked later, for all names at once. */
export const timeZone: Check<string> = (value, report) =>
  isText(value) && isTimeZone(value) ? value : report('must be an IANA time zone such as Europe/Berlin');

/** A picture: https, or a path of ours. */
export const imageUrl: Check<string> = (value, report) =>
  isText(value) && value.length <= 2000 && (isOwnPath(value) || isHttpsAddress(value))
    ? value
    : report('must be an https address, or a path that begins with one /');

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Parsing a date takes 1 µs, asking Intl for a zone 40 µs; of millions most were met before. */
const knownDates = new Set<string>();
const knownZones = new Set<string>();
const MOST_KNOWN = 20_000;

function isDate(value: string): boolean {
  return isKnown(knownDates, value, () => isCalendarDate(value) && value >= '1900');
}

function isKnown(known: Set<string>, value: string, isSound: () => boolean): boolean {
  if (known.has(value)) return true;
  if (!isSound()) return false;
  if (known.size >= MOST_KNOWN) known.clear();
  known.add(value);
  return true;
}

function isTimeZone(value: string): boolean {
  return isKnown(knownZones, value, () => isIanaName(value));
}

function isIanaName(value: string): boolean {
  // Intl knows offsets too, and PostgreSQL reads their sign the other way round.
  if (!/^[A-Za-z]/.test(value) || value.length > 64) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: value }));
  } catch {
    return false;
  }
}
