import { readEmail } from '../../platform/contact-forms';
import { type InputIssue, InvalidInputError, type InputPlace } from '../../platform/errors';
import {
  cleanName,
  CONTROL_CHARACTER,
  CONTROL_CHARACTER_IN_PROSE,
  hasControlCharacter,
  isBirthDate,
  isCalendarDate,
  STACKED_MARKS,
  TOO_MANY_MARKS,
  toUtcInstant,
  withoutDirection,
  withoutInvisible,
} from '../../platform/text-forms';

import { BadInputError } from './http.errors';
import { NOT_A_TIME } from './query-parameters';

/** The most characters of the name of a person. */
const NAME_MAX = 200;

/**
 * Reads one line of text. Returns it in NFC, trimmed, without invisible characters (those that a writing system needs stay).
 * @throws InvalidInputError (400) if it is not a text, is empty or too long, or has control characters
 */
export function textInput(
  field: string,
  value: string,
  maxLength: number,
  place: InputPlace = 'body',
): string {
  const isForbidden = (text: string) => CONTROL_CHARACTER.test(text);
  return readText({ place, field }, value, { maxLength, isForbidden, fold: withoutInvisible });
}

/** Reads the name of a person like textInput. Keeps marks of direction that end in the name. */
export function nameInput(field: string, value: string): string {
  const isForbidden = (text: string) => hasControlCharacter(text, CONTROL_CHARACTER);
  return readText({ place: 'body', field }, value, { maxLength: NAME_MAX, isForbidden, fold: cleanName });
}

/** Reads a phone number or an e-mail address like textInput. Drops marks of direction, because address books add them. */
export function contactInput(field: string, value: string, maxLength: number): string {
  return textInput(field, typeof value === 'string' ? withoutDirection(value) : value, maxLength);
}

/**
 * Reads a text that may contain line breaks and tabs. Keeps invisible characters, because some mark where a long line may break, and marks of
 * direction that end in the text.
 */
export function proseInput(field: string, value: string, maxLength: number): string {
  const isForbidden = (text: string) => hasControlCharacter(text, CONTROL_CHARACTER_IN_PROSE);
  const fold = (text: string) => text.replaceAll('\r\n', '\n');
  return readText({ place: 'body', field }, value, { maxLength, isForbidden, fold });
}

const LONGEST_SEARCH = 100;

/**
 * Reads a search text. Returns it in the form in which names are stored: in NFC, without invisible characters. Counts characters, because
 * the length of a string counts an emoji twice.
 * @throws InvalidInputError (400)
 */
export function searchInput(field: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const refuse = (message: string) => new InvalidInputError('query', field, message);
  const visible = withoutInvisible(value);
  if (STACKED_MARKS.test(visible)) throw refuse(TOO_MANY_MARKS);
  const text = visible.normalize('NFC');
  if (text === '') throw refuse('must not be empty');
  if ([...text].length > LONGEST_SEARCH) throw refuse(`must have at most ${LONGEST_SEARCH} characters`);
  return text;
}

/** Converts a continent to lower case, as in its slug. */
export function continentInput(value: string | undefined): string | undefined {
  return value?.toLowerCase();
}

/** Converts a country code to upper case. Leaves any other text unchanged: no tour has such a country. */
export function countryInput(value: string | undefined): string | undefined {
  return value !== undefined && /^[a-z]{2}$/i.test(value) ? value.toUpperCase() : value;
}

/**
 * Reads an e-mail address. Drops a name before it and signs around it.
 * @param reading by which a request is compared with an earlier one
 */
export function emailInput(field: string, value: string, { emailAsSent }: EmailReading = {}): string {
  const text = contactInput(field, value, 254);
  const email = readEmail(text);
  if (email === undefined) throw new InvalidInputError('body', field, 'must be an e-mail address');
  return emailAsSent ? text : email;
}

/** The form in which the e-mail addresses of a request are kept. */
export interface EmailReading {
  /** True: with the signs around them, as earlier releases stored them. */
  emailAsSent?: boolean;
}

/** Reads the date of a person's birth. @throws InvalidInputError (400) */
export function birthDateInput(field: string, value: string): string {
  if (!isBirthDate(value))
    throw new InvalidInputError('body', field, 'must be a calendar date from 1900 to today, YYYY-MM-DD');
  return value;
}

/** Reads an existing day as YYYY-MM-DD. @throws InvalidInputError */
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

/** Reads one line of text that may be left out, like textInput. @throws InvalidInputError (400) */
export function optionalText(
  place: InputPlace,
  field: string,
  value: string | undefined,
  maxLength: number,
): string | undefined {
  return value === undefined ? undefined : textInput(field, value, maxLength, place);
}

/** Reads a time that may be left out. @returns the time in RFC 3339, UTC. @throws InvalidInputError (400) */
export function optionalInstant(
  place: InputPlace,
  field: string,
  value: string | undefined,
): string | undefined {
  if (value === undefined) return undefined;
  const instant = toUtcInstant(value);
  if (instant === undefined) throw new InvalidInputError(place, field, NOT_A_TIME);
  return instant;
}

interface TextForm {
  maxLength: number;
  isForbidden: (text: string) => boolean;
  fold: (text: string) => string;
}

function readText(
  { place, field }: { place: InputPlace; field: string },
  value: string,
  { maxLength, isForbidden, fold }: TextForm,
): string {
  const refuse = (message: string) => new InvalidInputError(place, field, message);
  if (typeof value !== 'string') throw refuse('must be a text');
  if (!value.isWellFormed()) throw refuse('must be well-formed Unicode');
  if (isForbidden(value)) throw refuse('must not hold control characters');
  const folded = fold(value);
  if (STACKED_MARKS.test(folded)) throw refuse(TOO_MANY_MARKS);
  const text = folded.normalize('NFC').trim();
  if (text === '') throw refuse('must not be empty');
  if ([...text].length > maxLength) throw refuse(`must have at most ${maxLength} characters`);
  return text;
}

/** Runs all readers, and collects their issues in one error. @throws BadInputError with all issues (400) */
export function readAll<T extends object>(readers: { [K in keyof T]: () => T[K] }): T {
  const issues: InputIssue[] = [];
  const parts: Partial<T> = {};
  for (const name in readers) {
    try {
      parts[name] = readers[name]();
    } catch (error) {
      if (!(error instanceof InvalidInputError || error instanceof BadInputError)) throw error;
      issues.push(...error.errors);
    }
  }
  if (issues.length > 0) throw new BadInputError('validation_failed', issues);
  return parts as T;
}

/** Refuses a change that names no field. @throws InvalidInputError (400) */
export function assertNotEmpty(body: object, field = 'body'): void {
  if (Object.keys(body).length === 0)
    throw new InvalidInputError('body', field, 'must name at least one field to change');
}

/** Reads a value. Returns undefined if it is missing. */
export function givenInput<V, T>(value: V | undefined, read: (value: V) => T): T | undefined {
  return value === undefined ? undefined : read(value);
}

/** Reads a value. Returns undefined if it is missing, and null for null, which clears the field. */
export function clearableInput<V, T>(
  value: V | null | undefined,
  read: (value: V) => T,
): T | null | undefined {
  return value === null ? null : givenInput(value, read);
}

/** Reads a value. Returns null if it is missing. */
export function optionalInput<V, T>(value: V | undefined, read: (value: V) => T): T | null {
  return value === undefined ? null : read(value);
}
