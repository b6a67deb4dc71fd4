import { createHash } from 'node:crypto';
import type { Db } from '../../platform/database';
import { currencyDigits } from '../pricing/currency';
import { findDigests, NOTHING, type Shape, UNIT, WHOLE } from './digest.repository';
import { mergeDeparture, mergeTour } from './merge-rows';
import { DEPARTURE_TYPES, TOUR_TYPES } from './stored-columns';
import type { DepartureRow, TourRow } from './stored-rows';
import type { TourInFile } from './tour-in-file';

/**
 * The tours that are stored, with all their departures, as the files have them. The database tells by a digest of just the
 * fields that the file speaks of, so that of an unchanged tour 64 letters are read instead of its rows. Of the others nothing is
 * known: who is not among them is compared field by field.
 */
export async function findUnchanged(db: Db, tours: TourInFile[], prune: boolean): Promise<Set<TourInFile>> {
  const unchanged = new Set<TourInFile>();
  for (const { shape, files } of byShape(tours)) {
    const slugs = files.map((file) => file.slug);
    const digests = await findDigests(db, slugs, shape, prune);
    for (const file of files) {
      const stored = digests.get(file.slug);
      if (stored && isSame(file, shape, stored)) unchanged.add(file);
    }
  }
  return unchanged;
}

interface Group {
  shape: Shape;
  files: TourInFile[];
}

function byShape(tours: TourInFile[]): Group[] {
  const groups = new Map<string, Group>();
  for (const file of tours) {
    const { fields, departures } = file;
    const lines = fields && !file.faulty ? shapeOfLines(departures) : null;
    if (lines === null) continue;
    const own = namesIn(fields!);
    const key = `${own.join()};${lines ?? ''};${lines === undefined}`;
    const group = groups.get(key);
    if (group) group.files.push(file);
    else groups.set(key, { shape: { tour: tourColumns(own), departures: lines }, files: [file] });
  }
  return [...groups.values()];
}

function tourColumns(given: string[]): string[] {
  return [...given.filter((name) => name in TOUR_TYPES), 'base_price_minor', 'name_folded'];
}

/** Undefined: there is no list; null: one departure speaks of other fields than the next. */
function shapeOfLines(departures: TourInFile['departures']): string | undefined | null {
  if (!departures) return undefined;
  const [first] = departures;
  if (!first) return '';
  const names = namesIn(first.fields!);
  const prices = namesIn(first.fields!.prices);
  for (const { fields } of departures) {
    if (!speaksOf(fields!, names) || !speaksOf(fields!.prices, prices)) return null;
  }
  const columns = names.filter((name) => name !== 'prices');
  return [...columns, ...prices.map((name) => `prices.${name}`)].join();
}

function speaksOf(fields: object, names: string[]): boolean {
  let count = 0;
  for (const name in fields) if ((fields as Record<string, unknown>)[name] !== undefined) count++;
  return (
    count === names.length && names.every((name) => (fields as Record<string, unknown>)[name] !== undefined)
  );
}

function namesIn(fields: object): string[] {
  return Object.keys(fields).filter((name) => (fields as Record<string, unknown>)[name] !== undefined);
}

function isSame(
  { fields, departures }: TourInFile,
  shape: Shape,
  stored: { own: string; departures: string | null },
): boolean {
  const digits = currencyDigits(fields!.currency)!;
  const row = mergeTour(undefined, fields!, digits);
  const own = shape.tour.map((column) =>
    inPostgres(row[column as keyof TourRow], TOUR_TYPES[column as keyof TourRow]),
  );
  if (md5(own.join(UNIT)) !== stored.own) return false;
  if (!departures) return true;
  if (departures.length === 0) return stored.departures === null;
  const cells = shape.departures!.split(',').map(departureCell);
  const currency = { digits, changes: false };
  const rows = departures.map((departure) => mergeDeparture(undefined, departure.fields!, currency));
  rows.sort((a, b) => (a.departure_date < b.departure_date ? -1 : 1));
  return (
    md5(rows.map((line) => cells.map((cell) => cell(line)).join(UNIT)).join(WHOLE)) === stored.departures
  );
}

function departureCell(name: string): (row: DepartureRow) => string {
  const [field, category] = name.split('.') as [keyof DepartureRow, keyof DepartureRow['prices_minor']];
  if (category) return (row) => inPostgres(row.prices_minor[category], 'integer');
  return (row) => inPostgres(row[field], DEPARTURE_TYPES[field]);
}

/** As PostgreSQL writes it. Where that is not met to the letter, the tour is compared field by field. */
function inPostgres(value: unknown, type: string): string {
  if (value === null || value === undefined) return NOTHING;
  if (typeof value === 'string') return value;
  return type === 'jsonb' ? jsonbText(value) : JSON.stringify(value);
}

function jsonbText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonbText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value)
    .sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}: ${jsonbText(part)}`);
  return `{${parts.join(', ')}}`;
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
