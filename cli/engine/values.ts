import { canonicalLanguage } from '../../services/api/catalog/tour-text';
import { isBookingRef } from '../../services/api/bookings/booking-lead';
import type { NamedDeparture } from '../../services/api/departures/find-departures';
import { type CutoffText, CUTOFF_RULE, readCutoff } from '../../services/api/catalog/cutoff';
import { readStartTime, writtenStartTimeForm } from '../../services/api/catalog/start-time';
import { currencyDigits, storedCurrencyDigits } from '../../services/api/pricing/currency';
import { isTourAddress } from '../../services/api/tenants/link-template';
import * as days from '../../services/platform/forms/days';
import type { Form } from '../../services/platform/forms/form';
import { ADDRESS_MAX, NAME_MAX, PHONE_MAX } from '../../services/platform/forms/lengths';
import {
  isCategoryCode,
  countDecimals,
  isHttpsAddress,
  isSlug,
  isUuid,
  readWholeNumber,
  uuidsBeginningWith,
} from '../../services/platform/forms/text-forms';
import * as texts from '../../services/platform/forms/texts';
import { UsageError } from './failure';

/*
 * Parses values of flags and arguments, before a database is opened, and formats values for a person. Each parser takes the
 * text and the flag's name for the message.
 */

/** Returns a parser that keeps the text. @param form what the value must be, for the message */
function matching(accepts: (text: string) => boolean, form: string) {
  return (text: string, name: string): string => {
    if (!accepts(text)) throw new UsageError(`${name} must be ${form}`);
    return text;
  };
}

/** Returns a parser of a form that requests have too. @param fold changes the text before, because the terminal accepts more spellings */
function parsing<T>(form: Form<T>, fold = (text: string) => text) {
  return (text: string, name: string): T => {
    const { issue, value } = form(fold(text));
    if (issue !== undefined) throw new UsageError(`${name} ${issue}`);
    return value;
  };
}

const trimmed = (text: string) => text.trim();

export function wholeNumber(min: number, max: number) {
  return (text: string, name: string): number => {
    const value = readWholeNumber(text);
    if (value === undefined || value < min || value > max)
      throw new UsageError(`${name} must be a whole number from ${min} to ${max}`);
    return value;
  };
}

/** Parses a decimal and keeps it as text, because the value goes to a numeric column and a float would be inexact. */
export function decimal(min: number, max: number, digits: number) {
  return (text: string, name: string): string => {
    const decimals = countDecimals(text);
    const isPrecise = decimals === undefined || decimals <= digits;
    if (decimals !== undefined && isPrecise && Number(text) >= min && Number(text) <= max) return text;
    const precision = isPrecise ? '' : ` with at most ${digits} decimals`;
    throw new UsageError(`${name} must be a number from ${min} to ${max}${precision}`);
  };
}

/** Parses an amount in major units with or without a sign, and keeps it as text. The currency of the sale decides how many decimals it may have. */
export function signedAmount(text: string, name: string): string {
  return decimal(-AMOUNT_MAX, AMOUNT_MAX, 4)(text.replace(/^\+/, ''), name);
}

const AMOUNT_MAX = 1_000_000_000;

/** The code of a price category and the value that a flag gives it: `--party senior=1`. */
export type OfCategory<T> = [code: string, value: T];

/**
 * Parses `senior=1`: the code of a price category and its value, by `parse`. @param example for the message
 * @rule the flags `--party` and `--price code=amount`: test/cli/party.long.test.ts
 */
export function ofCategory<T>(parse: (text: string, name: string) => T, example: string) {
  return (text: string, name: string): OfCategory<T> => {
    const [, code = '', value = ''] = /^(.*?)=(.*)$/.exec(text) ?? [];
    if (!isCategoryCode(code))
      throw new UsageError(`${name} must be the code of a price category and its value, such as ${example}`);
    return [code, parse(value, `${name} ${code}`)];
  };
}

/**
 * Returns the mistakes of a flag that gives categories values: a category with two values.
 * @param name of the flag
 * @param others the values of the flags that mean one category each: the code of the category, the flag and its value
 */
export function repeatedCategories(
  given: readonly OfCategory<unknown>[],
  name: string,
  others: readonly [code: string, flag: string, value: unknown][],
): string[] {
  const codes = given.map(([code]) => code);
  const twice = codes.filter((code, index) => codes.indexOf(code) < index);
  const both = others.filter(([code, , value]) => value !== undefined && codes.includes(code));
  return [
    ...new Set(twice.map((code) => `${name} gives ${code} two values`)),
    ...both.map(([code, flag]) => `${flag} and ${name} ${code}=… mean the same and cannot be given together`),
  ];
}

/** Parses a percentage by `parse`, with or without the percent sign. */
export function percent<T>(parse: (text: string, name: string) => T) {
  return (text: string, name: string): T => parse(text.replace(/\s*%$/, ''), name);
}

/** Parses a duration to seconds; `most` is a duration too. */
export function duration({ zero, most }: { zero?: boolean; most?: string } = {}) {
  const longest = most === undefined ? undefined : parseDuration(most);
  return (text: string, name: string): number => {
    const seconds = parseDuration(text);
    if (seconds === undefined || (seconds === 0 && !zero) || seconds > (longest ?? Infinity)) {
      const form = `a duration such as 90d, 24h or 30m${zero ? ', or 0' : ''}`;
      throw new UsageError(`${name} must be ${form}${most ? `, ${most} at most` : ''}`);
    }
    return seconds;
  };
}

/** Parses a duration such as `72h` to whole minutes. @param most the longest duration, such as `365d` */
export function wholeMinutes(most: string) {
  const longest = parseDuration(most)! / 60;
  return (text: string, name: string): number => {
    const value = (parseDuration(text) ?? NaN) / 60;
    if (Number.isInteger(value) && value >= 1 && value <= longest) return value;
    throw new UsageError(`${name} must be whole minutes from 1m to ${most}, such as 90m, 72h or 7d`);
  };
}

/** Parses `20`, `20m` or `1h` to whole minutes. */
export function minutes(min: number, max: number) {
  return (text: string, name: string): number => {
    const value = /^\d{1,6}$/.test(text) ? Number(text) : (parseDuration(text) ?? NaN) / 60;
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new UsageError(`${name} must be from ${min} to ${max} minutes, such as 20 or 20m`);
  };
}

/** Parses `none`, in any case, as null, and other texts by `parse`. */
export function orNone<T>(parse: (text: string, name: string) => T) {
  return (text: string, name: string): T | null => {
    if (text.toLowerCase() === 'none') return null;
    try {
      return parse(text, name);
    } catch (error) {
      throw error instanceof UsageError ? new UsageError(`${error.message}, or none`) : error;
    }
  };
}

/** Parses one line of text. */
export const line = (max: number) => parsing(texts.lineForm(max), trimmed);

/** Parses the name of a person. */
export const personName = parsing(texts.personNameForm, trimmed);

/** Parses a text that may have several lines and tabs. Writes each line break as one line feed. */
export const paragraphs = (max: number) =>
  parsing(texts.proseForm(max), (text) => text.replace(/\r\n?/g, '\n').trim());

export const phone = parsing(texts.contactForm(PHONE_MAX), trimmed);
export const email = parsing(texts.emailForm(), trimmed);

export const slug = matching(
  (text) => isSlug(text) && !isUuid(text),
  '2 to 63 of a-z, 0-9 and inner dashes, such as acme-travel',
);

export const categoryCode = matching(
  isCategoryCode,
  'the code of a price category, such as adult: 2 to 32 of a-z, 0-9 and _',
);

export const bookingPrefix = matching(
  (text) => /^[A-Z0-9]{2,10}$/.test(text),
  '2 to 10 of A-Z and 0-9, such as ACME',
);

export function currency(text: string, name: string): { code: string; digits: number } {
  const code = text.toUpperCase();
  const digits = currencyDigits(code);
  if (digits === undefined) throw new UsageError(`${name} must be an ISO 4217 currency code such as EUR`);
  return { code, digits };
}

export function country(text: string, name: string): string {
  // Loads the list of countries only for this flag, because loading takes 60 ms.
  const { isCountry } =
    require('../../services/api/tenants/country') as typeof import('../../services/api/tenants/country');
  const code = text.toUpperCase();
  if (!isCountry(code)) throw new UsageError(`${name} must be an ISO 3166 country code such as DE`);
  return code;
}

export function color(text: string, name: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(text)) throw new UsageError(`${name} must be a colour such as #0a7d5c`);
  return text.toLowerCase();
}

export function continent(text: string, name: string): string {
  const lowered = text.toLowerCase();
  if (!isSlug(lowered)) throw new UsageError(`${name} must be a slug such as south-america`);
  return lowered;
}

/** Parses a language tag. Returns its usual form: `pt-BR` for `PT-br`. @throws UsageError */
export function language(text: string, name: string): string {
  const tag = canonicalLanguage(text);
  if (tag === undefined) throw new UsageError(`${name} must be a language tag such as de or pt-BR`);
  return tag;
}

/** Parses the IANA name of a time zone. The database checks that it knows the name. */
export function timeZone(text: string, name: string): string {
  if (!days.isTimeZone(text))
    throw new UsageError(`${name} must be an IANA time zone such as Asia/Ho_Chi_Minh`);
  return text;
}

/** Parses a travel date; `moment` parses times. */
export const travelDate = parsing(days.calendarDateForm);

/** Parses the name of a departure: its date, and its start time if the date has several departures. */
export function departureOnDate(text: string, name: string): NamedDeparture {
  const [date, ...times] = text.split('T');
  const time = times.length === 1 ? readStartTime(times[0]!) : undefined;
  if (days.isCalendarDate(date!) && (times.length === 0 || time !== undefined)) return { date: date!, time };
  throw new UsageError(
    `${name} must be a date such as 2027-05-01, or a date and time such as 2027-05-01T09:30`,
  );
}

/** Parses the local time at which a departure begins. */
export const startTime = parsing(writtenStartTimeForm);

/** Parses a time before the start of a departure. */
export function cutoff(text: string, name: string): CutoffText {
  const value = readCutoff(text);
  if (value === undefined) throw new UsageError(`${name} ${CUTOFF_RULE}`);
  return value;
}

/** Parses the step that prices are rounded to, above 0. */
export function roundingStep(text: string, name: string): string {
  const step = decimal(0, 1_000_000, 4)(text, name);
  if (Number(step) === 0) throw new UsageError(`${name} must be more than 0`);
  return step;
}

/** Parses a text to search for. */
export function searchText(text: string, name: string): string {
  const sought = line(NAME_MAX)(text, name);
  if (!/[\p{L}\p{N}]/u.test(sought)) throw new UsageError(`${name} must have a letter or a digit`);
  return sought;
}

/** Parses the name of a file that the command writes. */
export function fileName(text: string, name: string): string {
  if (text === '') throw new UsageError(`${name} must name a file`);
  return text;
}

/** Stands for standard input or standard output in place of a file. */
export const STANDARD_STREAM = '-';

/** Parses the name of a new file. Returns undefined for `-`: standard output, as without the flag. */
export function outputFile(text: string, name: string): string | undefined {
  return text === STANDARD_STREAM ? undefined : fileName(text, name);
}

/** Parses the domain of a website, also from an address of the site. */
export function domain(text: string, name: string): string {
  const address = text.includes('://') ? text : `https://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const { hostname = '', username, search, hash } = url ?? {};
  const complete = /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$|^localhost$/.test(hostname);
  if (!complete || hostname.length > 253 || username || search || hash) {
    throw new UsageError(`${name} must be a domain such as acme.example`);
  }
  return hostname;
}

export const httpsUrl = matching(
  (text) => isHttpsAddress(text) && text.length <= ADDRESS_MAX,
  `an address of at most ${ADDRESS_MAX} characters that begins with https://`,
);

/** Parses the address template of a tour on the tenant's site. */
export function linkTemplate(text: string, name: string): string {
  const filled = text.replaceAll('{slug}', 'a-tour');
  if (
    filled === text ||
    /[{}]/.test(filled) ||
    text.length > ADDRESS_MAX ||
    !isTourAddress(filled, { onTrial: true }) ||
    new URL(filled).origin !== originOf(text)
  ) {
    throw new UsageError(
      `${name} must be an https:// address with {slug} in its path, such as https://acme.example/tours/{slug} ` +
        '(on trial also http://localhost:3000/tours/{slug})',
    );
  }
  return text;
}

/** Parses font names separated by commas. Drops quotes: the page adds its own. */
export function fontFamilies(text: string, name: string): string {
  const families = text.split(',').map((family) => family.trim().replace(/^(["'])(.*)\1$/, '$2'));
  const joined = families.join(', ');
  if (joined.length > NAME_MAX || !families.every((family) => /^[A-Za-z][A-Za-z0-9 -]*$/.test(family))) {
    throw new UsageError(
      `${name} must be names of fonts such as Inter, Georgia, serif; at most ${NAME_MAX} characters`,
    );
  }
  return joined;
}

/** Parses the URL of a webhook receiver. The webhook queue decides whether it may send to this URL. */
export function webUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || /[\s\p{Cc}]/u.test(text)) {
    throw new UsageError(`${name} must be an address such as https://acme.example/webhooks`);
  }
  return text;
}

/** Parses the id of a hold, an endpoint or a delivery. */
export function uuid(text: string, name: string): string {
  if (!isUuid(text)) throw new UsageError(`${name} must be a UUID`);
  return text.toLowerCase();
}

/** Parses the id of a hold, an endpoint or a delivery, or its beginning (find-ids.ts). */
export function uuidStart(text: string, name: string): string {
  const id = text.toLowerCase();
  if (id.length < 4 || uuidsBeginningWith(id) === undefined)
    throw new UsageError(`${name} must be a UUID, or at least the first 4 characters of one`);
  return id;
}

// Loads the file of bookings for a given reference only.
export const bookingRef = matching((text) => isBookingRef(text), 'a reference such as ACME-1042');

/** Parses the public id of a key or token. */
export function credentialId(text: string, name: string): string {
  if (/^svc_/.test(text))
    throw new UsageError(
      `${name} must be the id alone, never the secret: the 12 characters after its prefix`,
    );
  if (!/^[0-9A-Za-z]{12}$/.test(text)) throw new UsageError(`${name} must be an id of 12 letters and digits`);
  return text;
}

/** Parses the public id of a key or token, or its beginning (find-ids.ts). */
export function credentialStart(text: string, name: string): string {
  if (/^[0-9A-Za-z]{1,3}$/.test(text))
    throw new UsageError(`${name} must be at least the first 4 characters of an id`);
  return /^[0-9A-Za-z]{4,11}$/.test(text) ? text : credentialId(text, name);
}

/** Parses a date, a time with its zone, or a duration before now (`24h`). */
export function moment(text: string, name: string): Date {
  const ago = parseDuration(text);
  if (ago !== undefined) return new Date(Date.now() - ago * 1000);
  const { issue, value } = readInstant(text);
  if (issue !== undefined) throw new UsageError(`${name} ${issue}, 2026-05-01, or 24h for a day ago`);
  return new Date(value);
}

/** Parses a date, which means midnight in UTC, or a time with its zone. */
export function instant(text: string, name: string): Date {
  return new Date(parsing(readInstant)(text, name));
}

/** Reads a time of RFC 3339. The time of the day, the seconds, or the digits after the ninth decimal may be left out or given. */
const readInstant = (text: unknown) =>
  days.instantOrEndOfDayForm(
    String(text)
      .replace(/^(\d{4}-\d\d-\d\d)$/, '$1T00:00Z')
      .replace(/(T\d\d:\d\d)(?=Z|[+-])/, '$1:00')
      .replace(/(\.\d{9})\d+/, '$1'),
  );

/** Parses the number of items of a list. */
export const limit = wholeNumber(1, 1000);

function originOf(template: string): string | undefined {
  const base = template.slice(0, template.indexOf('{slug}'));
  return URL.canParse(base) ? new URL(base).origin : undefined;
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
type Unit = keyof typeof SECONDS;
/** The longest duration: ten years. Something that lasts longer should have no expiry. */
const SECONDS_MAX = 3650 * SECONDS.d;

/** Returns the seconds of `90d`, `24h`, `30m`, `45s` or `0`; undefined for other texts. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  if (!match) return undefined;
  const seconds = Number(match[1]) * SECONDS[match[2] as Unit];
  return seconds <= SECONDS_MAX ? seconds : undefined;
}

/** Formats seconds exactly in the largest possible unit up to `largest`: 90d, 72h, 90m, 0s. */
export function formatDuration(seconds: number, largest: Unit): string {
  const units = Object.entries(SECONDS).filter(([, size]) => size <= SECONDS[largest]);
  const [unit, size] = units.findLast(([, size]) => seconds > 0 && seconds % size === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}

/** Formats an amount in major units for a person, with the digits of its currency: `72.80 EUR`, `9,950,000 VND`. */
export function formatMoney(amount: number, currency: string): string {
  const digits = storedCurrencyDigits(currency);
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `${amount.toLocaleString('en-US', format)} ${currency}`;
}

/** Formats the named amounts of a document for a person. Drops the field `currency`, because each formatted amount names it. */
export function withMoney<T extends { currency: string | null }>(
  { currency, ...document }: T,
  fields: readonly (keyof T)[],
): Record<string, unknown> {
  const format = (field: string, value: unknown) =>
    typeof value === 'number' && currency !== null && fields.includes(field as keyof T)
      ? formatMoney(value, currency)
      : value;
  return Object.fromEntries(
    Object.entries(document).map(([field, value]): [string, unknown] => [field, format(field, value)]),
  );
}
