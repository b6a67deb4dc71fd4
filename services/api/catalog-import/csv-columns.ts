import { z } from 'zod';
import { csvLine } from '../../platform/csv-cells';
import { DEPARTURE, TOUR_FIELDS } from './catalog-schema';
import type { FileEntry } from './export-catalog';

/** The column of a departures file that names the tour. */
export const TOUR_OF_DEPARTURE = 'tour_slug';

/** Converts between the text of a cell and the JSON value. */
interface Column {
  /** Returns text that it cannot convert unchanged; the field's check then refuses it. */
  read: (cell: string) => unknown;
  write: (value: unknown) => string;
}

/** Column names in the order of an export. Parts of an object have their own columns, such as `prices.adult`. */
export type CsvColumns = Record<string, Column>;

/** Refuses numbers with more digits than a floating point number can store. */
const NUMBER = /^-?(?=[\d.]{1,18}$)\d{1,15}(\.\d{1,15})?$/;

const TEXT: Column = { read: (cell) => cell, write: String };
const NUMERIC: Column = { read: (cell) => (NUMBER.test(cell) ? Number(cell) : cell), write: String };
const JSON_TEXT: Column = {
  read: (cell) => {
    const parsed = parseJson(cell);
    return parsed === undefined ? cell : parsed;
  },
  write: (value) => JSON.stringify(value),
};
/** Separates items by `|`. A list with an item that would be read otherwise is JSON. */
const LIST: Column = {
  read: (cell) => {
    const parsed = cell.startsWith('[') ? parseJson(cell) : undefined;
    return Array.isArray(parsed) ? (parsed as unknown[]) : cell.split('|').map((item) => item.trim());
  },
  write: (value) => {
    const items = value as string[];
    return items.some((item) => item.includes('|') || item.startsWith('['))
      ? JSON.stringify(items)
      : items.join('|');
  },
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const CSV_TOUR_COLUMNS = columnsOf(TOUR_FIELDS);
export const CSV_DEPARTURE_COLUMNS = { [TOUR_OF_DEPARTURE]: TEXT, ...columnsOf(DEPARTURE.shape) };

function columnsOf(shape: z.ZodRawShape, prefix = ''): CsvColumns {
  const columns: CsvColumns = {};
  for (const [field, schema] of Object.entries(shape)) {
    const type = bare(schema);
    if (type instanceof z.ZodObject) Object.assign(columns, columnsOf(type.shape, `${prefix}${field}.`));
    else if (type instanceof z.ZodNumber) columns[prefix + field] = NUMERIC;
    else if (type instanceof z.ZodArray)
      columns[prefix + field] = bare(type.element) instanceof z.ZodObject ? JSON_TEXT : LIST;
    else columns[prefix + field] = TEXT;
  }
  return columns;
}

/** Returns the schema inside `optional`, `nullish` and `transform`. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return bare(schema.unwrap());
  return schema instanceof z.ZodPipe ? bare(schema.in) : schema;
}

export type CsvKind = 'tours' | 'departures';

/** Yields the lines of a CSV file that an import reads: the names of all columns, then a line for each tour or departure. */
export async function* csvLines(entries: AsyncIterable<FileEntry>, kind: CsvKind): AsyncGenerator<string> {
  const columns = kind === 'tours' ? CSV_TOUR_COLUMNS : CSV_DEPARTURE_COLUMNS;
  yield csvLine(Object.keys(columns));
  for await (const entry of entries) {
    if (kind === 'tours') yield csvLine(cellsOf(columns, entry));
    else
      for (const departure of entry.departures as FileEntry[])
        yield csvLine(cellsOf(columns, { [TOUR_OF_DEPARTURE]: entry.slug, ...departure }));
  }
}

/** Leaves the cells of nulls and empty lists empty. */
function cellsOf(columns: CsvColumns, entry: FileEntry): (string | number | null)[] {
  return Object.entries(columns).map(([name, { write }]) => {
    const [field, part] = name.split('.') as [string, string?];
    const content = entry[field];
    const value = part === undefined ? content : (content as FileEntry | null)?.[part];
    if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return null;
    return typeof value === 'number' ? value : write(value);
  });
}
