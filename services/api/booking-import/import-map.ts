import { z } from 'zod';
import { BOOKING_PAYMENT_METHODS } from '../tenants/payment-method';
import { type InstantsOf, instantsIn } from '../catalog/local-time';
import { findRepeatedKey } from '../catalog-import/cut-json';
import { foldLine } from '../catalog-import/field-checks';
import { isTimeZone } from '../../platform/forms/days';
import { isCategoryCode, isSlug } from '../../platform/forms/text-forms';
import { isCurrencyCode } from '../pricing/currency';
import { BookingMapError } from './booking-import.errors';
import type { UnknownKind } from './row-issues';
import { localTimeReader, partyReader, type ReadLocalTime, type ReadPartyText } from './read-words';

/** The fields of a row, in our own words. */
export const ROW_FIELDS = [
  'external_ref',
  'tour',
  'departure_date',
  'departure_time',
  'party',
  'adults',
  'children',
  'name',
  'status',
  'phone',
  'email',
  'total',
  'currency',
  'deposit',
  'payment_due_at',
  'created_at',
  'payment_method',
  'notes',
  'travellers',
] as const;

export const ENCODINGS = ['utf-8', 'windows-1252', 'iso-8859-1'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The statuses that a row may have. A cancelled one is left out. */
export const ROW_STATUSES = ['confirmed', 'pending_payment', 'cancelled'] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

const TEXT = z.string().min(1);
/** A word in a cell, which the reader of a file makes one line. */
const WORD = TEXT.transform(foldLine);
const STORED_MAP = z.strictObject({
  columns: z.record(TEXT, z.string().nullable()).default({}),
  values: z
    .strictObject({
      /** Null: leaves out the bookings of this status. */
      status: z.record(WORD, z.enum(ROW_STATUSES).nullable()).default({}),
      payment_method: z.record(WORD, z.enum(BOOKING_PAYMENT_METHODS)).default({}),
      currency: z.record(WORD, z.string().refine(isCurrencyCode)).default({}),
      party: z.record(WORD, z.string().refine(isCategoryCode)).default({}),
    })
    .partial()
    .default({}),
  /** Null: leaves out the bookings of the tour. */
  tours: z.record(WORD, z.string().refine(isSlug).nullable()).default({}),
  formats: z
    .strictObject({
      date: TEXT,
      time: TEXT,
      datetime: TEXT,
      time_zone: TEXT.refine(isTimeZone),
      decimal: z.enum(['.', ',']),
      encoding: z.enum(ENCODINGS),
      party: TEXT,
    })
    .partial()
    .default({}),
  grouped: z.boolean().default(false),
});

/** The words of another system, as a file of a map has them. */
export type StoredMap = z.infer<typeof STORED_MAP>;

/** A map, with the readers of its forms. */
export interface ImportMap extends StoredMap {
  readDate: ReadLocalTime | undefined;
  readTime: ReadLocalTime | undefined;
  readDateTime: ReadLocalTime | undefined;
  readParty: ReadPartyText | undefined;
  /** The instants of the local times of the map's time zone. Undefined: it names none. */
  instantsOf: InstantsOf | undefined;
}

/** Returns whether a column of this name has a field, in our own words. */
export function isRowField(name: string): boolean {
  const [first, code = ''] = name.split('.', 2);
  return (ROW_FIELDS as readonly string[]).includes(name) || (first === 'party' && isCategoryCode(code));
}

/**
 * Reads the text of a map. An empty object is the map of a file in our own words.
 * @throws BookingMapError, which names the wrong key
 * @rule the words of another system, in a map of an import: test/cli/booking-import.long.test.ts
 */
export function parseImportMap(text: string): ImportMap {
  const repeated = findRepeatedJsonKey(text);
  if (repeated !== undefined) throw new BookingMapError(repeated);
  const parsed = STORED_MAP.safeParse(JSON.parse(text));
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw new BookingMapError(`${path.join('.') || 'the map'}: ${message}`);
  }
  const map = parsed.data;
  const wrong = Object.entries(map.columns).find(([, field]) => field && !isRowField(field));
  if (wrong)
    throw new BookingMapError(
      `columns.${wrong[0]}: ${wrong[1]} is no field; known are ${ROW_FIELDS.join(', ')}, party.<code>`,
    );
  const fields = Object.values(map.columns).filter((field) => field && field !== 'name');
  const twice = fields.find((field, index) => fields.indexOf(field) < index);
  if (twice) throw new BookingMapError(`columns: two columns are ${twice}`);
  return withReaders(map);
}

function findRepeatedJsonKey(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return 'must be JSON';
  }
  return findRepeatedKey(text)?.message;
}

/** Returns the map with the readers of its forms. @throws BookingMapError */
function withReaders(map: StoredMap): ImportMap {
  const { date, time, datetime, party, time_zone: timeZone } = map.formats;
  return {
    ...map,
    readDate: readerOf('date', date, (form) => localTimeReader(form, ['date'])),
    readTime: readerOf('time', time, (form) => localTimeReader(form, ['time'])),
    readDateTime: readerOf('datetime', datetime, (form) => localTimeReader(form, ['date', 'time'])),
    readParty: readerOf('party', party, partyReader),
    instantsOf: timeZone === undefined ? undefined : instantsIn(timeZone),
  };
}

function readerOf<Read extends (text: string) => unknown>(
  name: string,
  form: string | undefined,
  build: (form: string) => Read | { issue: string },
): Read | undefined {
  if (form === undefined) return undefined;
  const built = build(form);
  if (typeof built === 'function') return built;
  throw new BookingMapError(`formats.${name}: ${built.issue}`);
}

/** A word of the other system, and what it means. Null: leave it out. */
export interface MapWord {
  kind: UnknownKind;
  word: string;
  meaning: string | null;
}

/** Returns the text of a map with more words. @param text a valid map */
export function addWords(text: string, words: readonly MapWord[]): string {
  const map = JSON.parse(text) as Partial<Record<string, Record<string, unknown>>>;
  for (const { kind, word, meaning } of words) {
    if (kind === 'status')
      map.values = withWord(map.values, 'status', withWord(statusesOf(map), word, meaning));
    else map[`${kind}s`] = withWord(map[`${kind}s`], word, meaning);
  }
  return `${JSON.stringify(map, null, 2)}\n`;
}

function statusesOf(map: Partial<Record<string, Record<string, unknown>>>): Record<string, unknown> {
  return (map.values?.status ?? {}) as Record<string, unknown>;
}

function withWord(known: Record<string, unknown> | undefined, word: string, meaning: unknown) {
  return Object.fromEntries([...Object.entries(known ?? {}), [word, meaning]]);
}

/** Returns the name of the column of a field. */
export function columnOf(field: string, { columns }: ImportMap): string {
  return Object.entries(columns).find(([, mapped]) => mapped === field)?.[0] ?? field;
}
