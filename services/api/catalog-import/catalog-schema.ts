import { z } from 'zod';
import { calendarDateForm, DATE_MIN, instantOrEndOfDayForm } from '../../platform/forms/days';
import { SEATS_TOTAL_MAX } from '../departures/departure';
import { ADDRESS_MAX, NAME_MAX, NOTES_MAX, REASON_MAX } from '../../platform/forms/lengths';
import { isHttpsAddress, isOwnPath, isSlug } from '../../platform/forms/text-forms';
import { foldName } from '../../platform/forms/fold-name';
import { writtenStartTimeForm } from '../catalog/start-time';
import { isTourSlug, TOUR_STATUSES } from '../catalog/tour';
import type { TranslatedTexts } from '../catalog/tour-text';
import { LANGUAGE, LANGUAGES_MAX, TOO_MANY_LANGUAGES } from './language-field';
import { currencyDigits, isCurrencyCode, toMinor } from '../pricing/currency';
import { isCountry } from '../tenants/country';
import { expandSchedule, InvalidScheduleError, type Schedule } from '../departures/schedule';
import type { Issue } from './catalog-file';
import { AMOUNT, CATEGORIES, CATEGORY_NAMES, parsePrices, PRICES } from './category-fields';
import { GOOGLE_PLACE_ID, PICKUP, PICKUP_POINT } from './pickup-fields';
import { QUESTION_TEXTS, QUESTIONS } from './question-fields';
import { CANCELLATION, closingIssue, CUTOFF } from './sale-terms';
import { RESOURCE, USES } from './uses-field';
import {
  decimalField,
  expecting,
  formField,
  integerField,
  lineField,
  listField,
  nearestName,
  objectField,
  choiceField,
  paragraphsField,
  textField,
} from './field-checks';

// Checks the entries of a catalog file. Fields have the names of the columns and the limits of the tables.

/** Leaves out the fields of an object that are null. */
function withoutNulls<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null)) as T;
}

/** Makes a field of a tour optional. An omitted field keeps the stored value; null stores the value that a new tour has. */
function optional<T extends z.ZodType>(schema: T, empty: unknown = null) {
  return schema.nullish().transform((value) => (value === null ? empty : value));
}

const TOUR_SLUG = textField(
  isTourSlug,
  'must be 2 to 63 of a-z, 0-9 and inner dashes, and must not look like a UUID',
);
const date = formField(calendarDateForm).refine(
  (value) => value >= DATE_MIN,
  `must not be before ${DATE_MIN}`,
);
/** RFC 3339 with any offset; stored in UTC. */
const instant = formField(instantOrEndOfDayForm).refine(
  (value) => value >= DATE_MIN,
  `must not be before ${DATE_MIN}`,
);
const imageUrl = textField(
  (value) => value.length <= ADDRESS_MAX && (isOwnPath(value) || isHttpsAddress(value)),
  'must be an https address, or a path that begins with one /',
);
const localTime = formField(writtenStartTimeForm);
const location = objectField({
  name: lineField(NAME_MAX),
  lat: decimalField(-90, 90).nullish(),
  lng: decimalField(-180, 180).nullish(),
  google_place_id: GOOGLE_PLACE_ID.nullish(),
}).transform(withoutNulls);
const image = objectField({ url: imageUrl, alt: lineField(REASON_MAX).nullish() }).transform(withoutNulls);
const itineraryDay = objectField({
  day: integerField(1, 366),
  title: lineField(NAME_MAX),
  description: paragraphsField(5000).nullish(),
}).transform(withoutNulls);

const NAME = lineField(NAME_MAX);
const SUMMARY = lineField(NOTES_MAX);
const DESCRIPTION = paragraphsField(20_000);
const TAGS = listField(lineField(100), 100);
const ITINERARY = listField(itineraryDay, 366);
const LINES = listField(lineField(REASON_MAX), 100);
const POLICY = paragraphsField(NOTES_MAX);

const isEmpty = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** Makes a translated text optional. An omitted text keeps the stored one; null, an empty list and an empty object clear it. */
function translated<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => (isEmpty(value) ? null : value));
}

/** The texts of a tour in one language, with the limits of the tour's own texts. */
export const TRANSLATION = objectField({
  name: translated(NAME),
  summary: translated(SUMMARY),
  description: translated(DESCRIPTION),
  itinerary: translated(ITINERARY),
  inclusions: translated(LINES),
  exclusions: translated(LINES),
  cancellation_policy: translated(POLICY),
  tags: translated(TAGS),
  categories: translated(CATEGORY_NAMES),
  questions: translated(QUESTION_TEXTS),
} satisfies Record<keyof TranslatedTexts, z.ZodType>);

const TOUR = objectField({
  slug: TOUR_SLUG,
  name: NAME,
  continent: textField(isSlug, 'must be a lower-case slug such as south-america'),
  country: textField(isCountry, 'must be an ISO 3166 code of two capital letters, such as DE'),
  duration_days: integerField(1, 366),
  currency: textField(
    (value) => isCurrencyCode(value) && currencyDigits(value) !== undefined,
    'must be an ISO 4217 code of three capital letters, such as EUR',
  ),
  base_price: AMOUNT,
  summary: optional(SUMMARY),
  description: optional(DESCRIPTION),
  image_url: optional(imageUrl),
  images: optional(listField(image, 100), []),
  tags: optional(TAGS, []),
  // An IANA name. issues.repository.ts checks each name once for all tours.
  time_zone: optional(
    textField((value) => /^[\w+/-]{1,64}$/.test(value), 'must be an IANA time zone such as Europe/Berlin'),
    'UTC',
  ),
  status: optional(choiceField(...TOUR_STATUSES), 'published'),
  group_size_max: optional(integerField(1, 100_000)),
  languages: optional(listField(lineField(100), 100), []),
  start_location: optional(location),
  end_location: optional(location),
  itinerary: optional(ITINERARY, []),
  inclusions: optional(LINES, []),
  exclusions: optional(LINES, []),
  cancellation_policy: optional(POLICY),
  cancellation: optional(CANCELLATION),
  // Null: the default list (parties/category.ts).
  categories: optional(CATEGORIES),
  // Null: nothing is asked.
  questions: optional(QUESTIONS),
  pickup: optional(PICKUP),
  start_time: optional(localTime),
  booking_cutoff: optional(CUTOFF),
  // Null and an empty list: none.
  uses: translated(USES),
  language: optional(LANGUAGE, 'en'),
  // The texts by language tag. merge_translations() merges them into the stored ones (0122_tour_translations.sql).
  translations: z.record(z.string(), z.unknown(), expecting('must be an object of languages')).nullish(),
  departures: listField(z.unknown(), 5000).nullish(),
  schedules: listField(z.unknown(), 20).nullish(),
});

export const DEPARTURE = objectField({
  departure_date: date,
  // Null: the time of the tour. An import never changes the time of a stored departure.
  start_time: localTime.nullish(),
  seats_total: integerField(1, SEATS_TOTAL_MAX),
  prices: PRICES,
  return_date: date.nullish(),
  status: choiceField('scheduled', 'cancelled').nullish(),
  closes_at: instant.nullish(),
  closes_before: CUTOFF.nullish(),
  // Null: those of the tour. An empty list: none.
  uses: USES.nullish(),
});

/**
 * A rule that describes dates. An import adds a departure at each described date and time, unless the tour already has a departure then.
 * expandSchedule checks the fields that describe the dates.
 */
const SCHEDULE = objectField({
  every: z.string(
    expecting('must be daily, or days such as mon,sat, or a rule such as FREQ=MONTHLY;BYDAY=1SA'),
  ),
  from: date,
  to: date,
  start_times: listField(localTime, 100).nullish(),
  except: listField(date, 2000).nullish(),
  seats_total: DEPARTURE.shape.seats_total,
  prices: PRICES,
  closes_at: DEPARTURE.shape.closes_at,
  closes_before: DEPARTURE.shape.closes_before,
  uses: DEPARTURE.shape.uses,
});

const { departures: _, schedules: __, ...ownFields } = TOUR.shape;
/** The fields of a tour without its departures and schedules, in the order of an export. */
export const TOUR_FIELDS: Record<string, z.ZodType> = ownFields;
const fieldNames = Object.keys(TOUR_FIELDS);

/** The values of a new tour for the fields that its entry omits; undefined for required fields. */
export const TOUR_DEFAULTS = {
  ...Object.fromEntries(fieldNames.map((field) => [field, TOUR_FIELDS[field]!.safeParse(null).data])),
  translations: {},
  translation_names: {},
};

/** The columns of a tour that an import writes: one for each field, and derived columns. */
export const STORED_TOUR_COLUMNS = [
  ...fieldNames.map((field) => (field === 'base_price' ? 'base_price_minor' : field)),
  'name_folded',
  'translation_names',
  'currency_digits',
];
export const STORED_DEPARTURE_COLUMNS = Object.keys(DEPARTURE.shape).map((field) =>
  field === 'prices' ? 'prices_minor' : field,
);
/** The columns of a stored departure that an import may change. The date and the start time identify the departure. */
export const CHANGEABLE_DEPARTURE_COLUMNS = STORED_DEPARTURE_COLUMNS.filter(
  (column) => column !== 'departure_date' && column !== 'start_time',
);

export type EntryIssue = Pick<Issue, 'field' | 'message'>;

/** The valid fields of one departure in a file. Prices are in major units. Undefined: omitted. Null: to be cleared. */
export type DepartureEntry = Partial<z.infer<typeof DEPARTURE>>;

/** Returns the valid fields of one tour in a file. Adds an issue for each invalid field. */
export function checkTour(value: unknown, issues: EntryIssue[]) {
  const {
    base_price: basePrice,
    translations,
    departures: _,
    schedules: __,
    ...given
  } = parseFields(TOUR, value, '', issues);
  const digits = given.currency === undefined ? undefined : currencyDigits(given.currency);
  const columns: Record<string, unknown> = {
    ...given,
    categories:
      given.categories === undefined && hasCategories(value) ? CATEGORIES_WITH_ISSUE : given.categories,
    ...(translations === undefined ? {} : checkTranslations(translations, issues)),
    name_folded: given.name && foldName(given.name),
    currency_digits: digits,
    base_price_minor:
      digits === undefined || basePrice === undefined ? undefined : toMinor(String(basePrice), digits),
  };
  const listOf = (field: 'departures' | 'schedules'): unknown[] | undefined =>
    isRecord(value) && Array.isArray(value[field]) ? value[field] : undefined;
  return {
    slug: given.slug,
    /** Major units as they are written, for the check of the decimals. */
    basePrice,
    /** The columns that the file gives, as JSON. */
    columns: JSON.stringify(columns),
    /** undefined: the entry has no list of departures. */
    departures: listOf('departures')?.map((departure, at) =>
      checkDeparture(departure, `departures[${at}]`, issues),
    ),
    /** The departures that each schedule describes. */
    schedules: (listOf('schedules') ?? []).map((schedule, at) =>
      checkSchedule(schedule, `schedules[${at}]`, issues),
    ),
  };
}

/** Stands for categories with an issue: prices by them are not checked. */
const CATEGORIES_WITH_ISSUE: never[] = [];

function hasCategories(tour: unknown): boolean {
  return isRecord(tour) && tour.categories !== undefined;
}

/**
 * Returns the columns of the valid translations, for merge_translations(). Null stands for a text or a language that the entry clears.
 * @param translations null: the entry clears all translations
 */
function checkTranslations(translations: Record<string, unknown> | null, issues: EntryIssue[]) {
  if (translations === null) return { translations, translation_names: {} };
  const report = (field: string, message: string) => void issues.push({ field, message });
  if (Object.keys(translations).length > LANGUAGES_MAX) report('translations', TOO_MANY_LANGUAGES);
  const valid: Record<string, object | null> = {};
  const names: Record<string, string> = {};
  for (const [tag, value] of Object.entries(translations)) {
    const path = `translations.${tag}`;
    const { data: language, error } = LANGUAGE.safeParse(tag);
    if (error) report(path, error.issues[0]!.message);
    else if (Object.hasOwn(valid, language)) report(path, `is the language ${language} a second time`);
    else {
      const texts = value === null ? null : parseFields(TRANSLATION, value, path, issues);
      valid[language] = texts;
      if (texts?.name) names[language] = foldName(texts.name);
    }
  }
  return { translations: valid, translation_names: names };
}

/** Returns the departures that a schedule describes; none if its dates have issues. */
function checkSchedule(value: unknown, path: string, issues: EntryIssue[]): DepartureEntry[] {
  const known = issues.length;
  const { seats_total, prices, closes_at, closes_before, uses, ...dates } = parseFields(
    SCHEDULE,
    value,
    path,
    issues,
  );
  refuseTwoClosings({ closes_at, closes_before }, path, issues);
  const isDated = (['every', 'from', 'to', 'start_times', 'except'] as const).every(
    (field) => !issues.slice(known).some((issue) => issue.field.startsWith(joinPath(path, field))),
  );
  if (!isDated || !isRecord(value)) return [];
  const { start_times: startTimes, except, ...rule } = dates as ScheduleDates;
  try {
    const described = expandSchedule({ ...rule, startTimes: startTimes ?? [], except: except ?? [] });
    return described.map(({ date: departure_date, startTime: start_time }) => ({
      departure_date,
      start_time,
      seats_total,
      prices,
      closes_at,
      closes_before,
      uses,
    }));
  } catch (error) {
    if (!(error instanceof InvalidScheduleError)) throw error;
    issues.push({ field: joinPath(path, error.field), message: error.problem });
    return [];
  }
}

type ScheduleDates = Pick<Schedule, 'every' | 'from' | 'to'> &
  Pick<z.infer<typeof SCHEDULE>, 'start_times' | 'except'>;

/**
 * Returns the valid fields of one departure. Leaves out its date if its time has an issue: without the time, the date would name another
 * departure, and cause further issues.
 * @param path of the departure in its tour; empty for a line of a departures file
 */
export function checkDeparture(value: unknown, path: string, issues: EntryIssue[]): DepartureEntry {
  const known = issues.length;
  const fields = parseFields(DEPARTURE, value, path, issues);
  const { departure_date: begin, return_date: end } = fields;
  if (begin && end && end < begin)
    issues.push({ field: joinPath(path, 'return_date'), message: 'must not be before departure_date' });
  refuseTwoClosings(fields, path, issues);
  const isTimed = !issues.slice(known).some(({ field }) => field === joinPath(path, 'start_time'));
  return isTimed ? fields : { ...fields, departure_date: undefined };
}

function refuseTwoClosings(
  fields: Pick<DepartureEntry, 'closes_at' | 'closes_before'>,
  path: string,
  issues: EntryIssue[],
): void {
  const message = closingIssue(fields);
  if (message !== undefined) issues.push({ field: joinPath(path, 'closes_before'), message });
}

/** Returns the code and the valid columns of a resource in a file, as JSON. Adds an issue for each invalid field. */
export function checkResource(
  value: unknown,
  issues: EntryIssue[],
): { code: string | undefined; columns: string } {
  const { code, ...columns } = parseFields(RESOURCE, value, '', issues);
  return { code, columns: JSON.stringify(columns) };
}

/** Returns the code and the valid columns of a pickup point in a file, as checkResource. */
export function checkPickupPoint(value: unknown, issues: EntryIssue[]): ReturnType<typeof checkResource> {
  const { code, ...columns } = parseFields(PICKUP_POINT, value, '', issues);
  const { lat = null, lng = null } = isRecord(value) ? value : {};
  if ((lat === null) !== (lng === null))
    issues.push({ field: lat === null ? 'lat' : 'lng', message: 'is required: lat and lng go together' });
  return { code, columns: JSON.stringify(columns) };
}

export function checkTourSlug(value: unknown, field: string, issues: EntryIssue[]): string | undefined {
  const { data, error } = TOUR_SLUG.safeParse(value);
  if (error) issues.push({ field, message: error.issues[0]!.message });
  return data;
}

/**
 * Returns the valid fields. If there is an issue, checks each field separately, so that valid fields are still compared with the catalog.
 */
function parseFields<S extends z.ZodObject>(
  schema: S,
  value: unknown,
  path: string,
  issues: EntryIssue[],
): Partial<z.infer<S>> {
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return data;
  if (!isRecord(value)) {
    issues.push({ field: path, message: error!.issues[0]!.message });
    return {};
  }
  const names = Object.keys(schema.shape);
  for (const name of Object.keys(value).filter((key) => !names.includes(key))) {
    const message = `is not known here; ${suggestName(name, names)}`;
    issues.push({ field: joinPath(path, name), message });
  }
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    const content = parseField(schema.shape[name] as z.ZodType, value[name], joinPath(path, name), issues);
    if (content !== undefined) fields[name] = content;
  }
  return fields as Partial<z.infer<S>>;
}

function parseField(schema: z.ZodType, value: unknown, path: string, issues: EntryIssue[]): unknown {
  if (schema === PRICES && isRecord(value))
    return parsePrices(value, (code, message) => issues.push({ field: joinPath(path, code), message }));
  const { data, error } = schema.safeParse(value);
  for (const issue of error?.issues ?? []) {
    const unknownKeys = issue.code === 'unrecognized_keys' ? issue.keys : [];
    const parts = unknownKeys.length > 0 ? unknownKeys.map((key) => [...issue.path, key]) : [issue.path];
    issues.push(...parts.map((part) => ({ field: joinPath(path, ...part), message: issue.message })));
  }
  return data;
}

/** Writes a path as `departures[2].prices.adult`. */
function joinPath(path: string, ...parts: PropertyKey[]): string {
  const steps = parts.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  return `${path}${steps.join('')}`.replace(/^\./, '');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The most known names that a message lists. If there are more, the message suggests the nearest name. */
const FEW = 6;

/** Returns the end of a message about an unknown name: what to write instead. */
function suggestName(name: string, known: string[]): string {
  if (known.length <= FEW) return `known are ${known.join(', ')}`;
  const near = nearestName(name, known);
  return near === undefined ? 'correct or remove it' : `did you mean ${near}?`;
}
