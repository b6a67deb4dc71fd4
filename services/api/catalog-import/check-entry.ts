import type { z } from 'zod';
import { foldName } from '../catalog/fold-name';
import { currencyDigits, toMinor } from '../pricing/currency';
import { DEPARTURE, PRICES, TOUR_SLUG, TOUR } from './catalog-schema';
import type { Issue } from './issue';
import { suggestName } from './unknown-name';

/** The valid fields of one tour in a file; the others may have issues. */
interface TourEntry {
  slug: string | undefined;
  /** Major units, for the check of the decimals. */
  basePrice: number | undefined;
  /** Columns and their values; fields that the file omits are absent. */
  columns: Record<string, unknown>;
  /** undefined: the entry has no list of departures. */
  departures: DepartureEntry[] | undefined;
}

/** The valid fields of one departure in a file, in major units. undefined: omitted; null: to be cleared. */
export interface DepartureEntry {
  departure_date?: string;
  seats_total?: number;
  prices?: { adult?: number; child?: number | null; single_supplement?: number | null };
  return_date?: string | null;
  status?: 'scheduled' | 'cancelled' | null;
  closes_at?: string | null;
}

/** The values of cleared fields; a new tour has them for each field that the file omits. */
export const TOUR_DEFAULTS: Record<string, unknown> = {
  summary: null,
  description: null,
  image_url: null,
  images: [],
  tags: [],
  time_zone: 'UTC',
  status: 'published',
  group_size_max: null,
  languages: [],
  start_location: null,
  end_location: null,
  itinerary: [],
  inclusions: [],
  exclusions: [],
  cancellation_policy: null,
};

type EntryIssue = Pick<Issue, 'field' | 'message'>;

export function checkTour(value: unknown, issues: EntryIssue[]): TourEntry {
  const fields = parseFields(TOUR, value, '', issues);
  const { base_price: basePrice, departures: _, ...given } = fields;
  const columns: Record<string, unknown> = {};
  for (const [name, content] of Object.entries(given)) {
    if (content !== undefined) columns[name] = content ?? TOUR_DEFAULTS[name];
  }
  if (given.name !== undefined) columns.name_folded = foldName(given.name);
  const digits = given.currency === undefined ? undefined : currencyDigits(given.currency);
  if (digits !== undefined) columns.currency_digits = digits;
  if (digits !== undefined && basePrice !== undefined) columns.base_price_minor = toMinor(basePrice, digits);
  const list = isRecord(value) && Array.isArray(value.departures) ? value.departures : undefined;
  const departures = list?.map((departure, at) => checkDeparture(departure, `departures[${at}]`, issues));
  return { slug: given.slug, basePrice, columns, departures };
}

/** @param path of the departure in its tour; empty for a line of a departures file */
export function checkDeparture(value: unknown, path: string, issues: EntryIssue[]): DepartureEntry {
  const fields: DepartureEntry = parseFields(DEPARTURE, value, path, issues);
  const { departure_date: begin, return_date: end } = fields;
  if (begin && end && end < begin)
    issues.push({ field: joinPath(path, 'return_date'), message: 'must not be before departure_date' });
  return fields;
}

export function checkTourSlug(value: unknown, field: string, issues: EntryIssue[]): string | undefined {
  const { data, error } = TOUR_SLUG.safeParse(value);
  if (error) issues.push({ field, message: error.issues[0]!.message });
  return data;
}

/** Returns the fields without issues. After an issue the others are checked again one by one, so that they are still compared. */
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
  if (schema === PRICES && isRecord(value)) return parseFields(PRICES, value, path, issues);
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
  return parts.reduce<string>((joined, part) => {
    if (typeof part === 'number') return `${joined}[${part}]`;
    return joined === '' ? String(part) : `${joined}.${String(part)}`;
  }, path);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
