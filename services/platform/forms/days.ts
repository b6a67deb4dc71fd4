import { isInBirthYears } from './contact-forms';
import { chain, type Form, matching, ofText, type Reading } from './form';

/** A day of UTC in milliseconds. */
export const DAY_MS = 86_400_000;
/** The most days of a range that one request may name: a leap year. */
export const RANGE_DAYS_MAX = 366;

/** Returns the date of a time in UTC, YYYY-MM-DD. */
export function dateOf(time: number | Date): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns the date that comes `days` after another one. */
export function addDays(date: string, days: number): string {
  return dateOf(Date.parse(date) + days * DAY_MS);
}

/** Returns how many days the second date comes after the first one. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}

/** Returns what is wrong with the end of a range. Undefined: it is not before the start, and the range has at most RANGE_DAYS_MAX days. */
export function rangeIssue(from: string, to: string, startName: string): string | undefined {
  if (to < from) return `must not be before ${startName}`;
  if (daysBetween(from, to) >= RANGE_DAYS_MAX)
    return `must be at most ${RANGE_DAYS_MAX} days from ${startName}`;
  return undefined;
}

/** Returns the present date in a time zone, YYYY-MM-DD. @param timeZone IANA name */
export function todayIn(timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date());
}

/** Returns false for an offset such as +02:00. Intl accepts offsets, but PostgreSQL interprets their sign the other way round. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Accepts YYYY-MM-DD for a day that PostgreSQL accepts. A pattern alone would accept 2026-02-31, and Date would accept the year 0000. */
export function isCalendarDate(text: string): boolean {
  if (!DATE.test(text) || text.startsWith('0000')) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Reads a day of the calendar. */
export const calendarDateForm = matching(isCalendarDate, 'must be a calendar date, YYYY-MM-DD');

/** The first date that a person's birth or a departure may have. */
export const DATE_MIN = '1900-01-01';

/**
 * Reads the date of a person's birth: from 1900 to today in UTC.
 * @rule which dates are a birth date: test/unit/forms.test.ts
 */
export const birthDateForm = matching(
  (text) => isCalendarDate(text) && isInBirthYears(text),
  'must be a calendar date from 1900 to today, YYYY-MM-DD',
);

const INSTANT = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const NOT_AN_INSTANT = { issue: 'must be a time such as 2027-03-06T09:30:00Z' };

/**
 * Reads a time of RFC 3339, also 24:00 as the end of a day. Returns it in UTC. Drops fractions of a millisecond, so the result is never later
 * than the given time. Refuses a time outside the years 1 to 9999, which an offset may cause.
 */
export const instantOrEndOfDayForm: Form<string> = ofText((text): Reading<string> => {
  const day = INSTANT.exec(text)?.[1];
  const time = new Date(text);
  if (day === undefined || !isCalendarDate(day) || Number.isNaN(time.getTime())) return NOT_AN_INSTANT;
  const utc = time.toISOString();
  return isCalendarDate(utc.slice(0, 10)) ? { value: utc } : NOT_AN_INSTANT;
});

/**
 * Reads a time of RFC 3339 like instantOrEndOfDayForm, but refuses 24:00.
 * @rule which dates and times are read: test/unit/forms.test.ts
 */
export const instantForm: Form<string> = chain(
  matching((text) => !text.includes('T24'), NOT_AN_INSTANT.issue),
  instantOrEndOfDayForm,
);
