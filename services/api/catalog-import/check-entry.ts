import leven from 'leven';
import type { z } from 'zod';
import { foldName } from '../catalog/fold-name';
import { currencyDigits, toMinor } from '../pricing/currency';
import { DEPARTURE, PRICES, TOUR, TOUR_SLUG } from './catalog-schema';
import type { Issue } from './catalog-file';

export type EntryIssue = Pick<Issue, 'field' | 'message'>;

/** The valid fields of one departure in a file, in major units. undefined: omitted; null: to be cleared. */
export type DepartureEntry = Partial<z.infer<typeof DEPARTURE>>;

/** Returns the valid fields of one tour in a file; adds an issue for each of the others. */
export function checkTour(value: unknown, issues: EntryIssue[]) {
  const { base_price: basePrice, departures: _, ...given } = parseFields(TOUR, value, '', issues);
  const digits = given.currency === undefined ? undefined : currencyDigits(given.currency);
  const columns: Record<string, unknown> = {
    ...given,
    name_folded: given.name && foldName(given.name),
    currency_digits: digits,
    base_price_minor:
      digits === undefined || basePrice === undefined ? undefined : toMinor(basePrice, digits),
  };
  const list = isRecord(value) && Array.isArray(value.departures) ? value.departures : undefined;
  return {
    slug: given.slug,
    /** Major units, for the check of the decimals. */
    basePrice,
    /** The columns that the file gives, as JSON. */
    columns: JSON.stringify(columns),
    /** undefined: the entry has no list of departures. */
    departures: list?.map((departure, at) => checkDeparture(departure, `departures[${at}]`, issues)),
  };
}

/** @param path of the departure in its tour; empty for a line of a departures file */
export function checkDeparture(value: unknown, path: string, issues: EntryIssue[]): DepartureEntry {
  const fields = parseFields(DEPARTURE, value, path, issues);
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
  const steps = parts.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  return `${path}${steps.join('')}`.replace(/^\./, '');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Lists at most this many known names in a message; of a longer list, names the nearest. */
const FEW = 6;

/** Returns the end of a message about an unknown name: what to write instead. */
function suggestName(name: string, known: string[]): string {
  if (known.length <= FEW) return `known are ${known.join(', ')}`;
  const near = nearestName(name, known);
  return near === undefined ? 'correct or remove it' : `did you mean ${near}?`;
}

/** Returns the name with the fewest typing errors, at most a quarter of its letters. Ignores case, dashes and dots. */
export function nearestName(name: string, known: string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  const wanted = plain(name);
  const distances = known.map((other) => ({ other, distance: typingErrors(wanted, plain(other)) }));
  const [best] = distances.sort((a, b) => a.distance - b.distance);
  return best && best.distance * 4 <= plain(best.other).length ? best.other : undefined;
}

function typingErrors(from: string, to: string): number {
  // A text twice as long is no typing error, and the time grows with the length.
  return from.length > 2 * to.length ? from.length : leven(from, to);
}
