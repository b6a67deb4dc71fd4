import { Readable } from 'node:stream';
import path from 'node:path';
import { type CsvKind, csvLines } from '../../../services/api/catalog-import/catalog-csv';
import {
  exportCatalog,
  exportLanguages,
  exportPickupPoints,
  exportResources,
  findUntranslated,
  type UntranslatedTour,
} from '../../../services/api/catalog-import/export-catalog';
import { findCategoryCodes } from '../../../services/api/catalog/known-categories';
import { csvLine } from '../../../services/platform/csv-cells';
import type { Db } from '../../../services/platform/database/database';
import type { Context } from '../../engine/context';
import { refuseExisting, writeWholeFile } from '../../engine/output-file';
import { countOf } from '../../terminal/text';

interface Written {
  tours: number;
  departures: number;
}

interface Options extends ExportOptions {
  force?: boolean;
}

/** One file of an export, or standard output. */
interface Part {
  file?: string;
  text: (db: Db, written: Written) => AsyncIterable<string>;
}

export async function exportCatalogCommand(
  { db, io, output }: Context,
  { force = false, ...options }: Options,
): Promise<void> {
  const parts = partsOf(options);
  const files = parts.flatMap(({ file }) => file ?? []);
  if (!force) files.forEach(refuseExisting);
  let written: Written = { tours: 0, departures: 0 };
  // Reads one state of the catalog, even if an import runs meanwhile.
  await db.transaction(
    async (snapshot) => {
      for (const { file, text } of parts) {
        written = { tours: 0, departures: 0 };
        const pieces = inPieces(text(snapshot, written));
        if (file === undefined) await output.pour(pieces, exportFormat(options) === 'csv' ? 'csv' : 'json');
        else await writeWholeFile(file, Readable.from(pieces), { force, stop: io.interrupted });
      }
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
  const summary = describeWritten(written, options);
  const [file, departuresFile] = files;
  if (file === undefined) return output.note(summary);
  const document = {
    file,
    ...(departuresFile && { departures_file: departuresFile }),
    ...documentOf(written, options),
  };
  await output.answer(document, () => `${files.join(', ')}: ${summary}`);
}

function describeWritten({ tours, departures }: Written, { missing }: ExportOptions): string {
  if (missing !== undefined)
    return `${countOf(tours, 'tour')} with texts that are not translated into ${missing}`;
  return `${countOf(tours, 'tour')} with ${countOf(departures, 'departure')}`;
}

function documentOf({ tours, departures }: Written, { missing }: ExportOptions): object {
  return missing === undefined ? { tours, departures } : { tours };
}

/**
 * Returns the parts of an export. A CSV file has either tours or departures, so a CSV export without `only` writes two files: `tours.csv`
 * and `tours-departures.csv`.
 */
function partsOf(options: ExportOptions): Part[] {
  const { out: file, only, missing } = options;
  const format = exportFormat(options);
  if (missing !== undefined) return [{ file, text: missingIn(missing, format) }];
  if (format === 'json') return [{ file, text: (db, written) => asDocument(db, counted(db, written)) }];
  if (format === 'jsonl')
    return [{ file, text: (db, written) => asLines(withOthers(db, counted(db, written))) }];
  const csv = (kind: CsvKind) => (db: Db, written: Written) => asCsv(db, written, kind);
  if (only !== undefined || file === undefined) return [{ file, text: csv(only ?? 'tours') }];
  const { dir, name, ext } = path.parse(file);
  const beside = path.join(dir, `${name}-departures${ext}`);
  return [
    { file, text: csv('tours') },
    { file: beside, text: csv('departures') },
  ];
}

const CHARACTERS_A_PIECE = 64 * 1024;

/** Joins small texts, because 100,000 small writes take longer than creating the texts. */
async function* inPieces(text: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const more of text) {
    piece += more;
    if (piece.length < CHARACTERS_A_PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Writes an array of tours; with resources or pickup points, an object with the lists. */
async function* asDocument(db: Db, tours: AsyncIterable<object>): AsyncGenerator<string> {
  const others = { resources: await exportResources(db), pickup_points: await exportPickupPoints(db) };
  const lists = Object.entries(others).filter(([, list]) => list.length > 0);
  if (lists.length === 0) {
    yield* asJson(tours);
    return;
  }
  yield `{${lists.map(([name, list]) => `"${name}": ${JSON.stringify(list, null, 2)},\n`).join('')}"tours": `;
  yield* asJson(tours);
  yield '}\n';
}

/** Yields the resources as `{"resource": {…}}`, the pickup points as `{"pickup_point": {…}}`, then the tours. */
async function* withOthers(db: Db, tours: AsyncIterable<object>): AsyncGenerator<object> {
  for (const resource of await exportResources(db)) yield { resource };
  for (const point of await exportPickupPoints(db)) yield { pickup_point: point };
  yield* tours;
}

async function* asJson(entries: AsyncIterable<object>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const entry of entries) {
    yield separator + JSON.stringify(entry, null, 2);
    separator = ',\n';
  }
  yield separator === '[\n' ? '[\n]\n' : '\n]\n';
}

async function* asLines(entries: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const entry of entries) yield `${JSON.stringify(entry)}\n`;
}

async function* asCsv(db: Db, written: Written, kind: CsvKind): AsyncGenerator<string> {
  const [languages, codes] = [await exportLanguages(db), await findCategoryCodes(db)];
  yield* csvLines(counted(db, written), kind, { languages, codes });
}

/** Returns the text of the tours that are not completely translated into the language. */
function missingIn(language: string, format: 'json' | 'jsonl' | 'csv'): Part['text'] {
  const write = { json: asJson, jsonl: asLines, csv: missingAsCsv }[format];
  return (db, written) => write(countedMissing(db, written, language));
}

async function* missingAsCsv(tours: AsyncIterable<UntranslatedTour>): AsyncGenerator<string> {
  yield csvLine(['slug', 'name', 'missing']);
  for await (const { slug, name, missing } of tours) yield csvLine([slug, name, missing.join('|')]);
}

async function* countedMissing(db: Db, written: Written, language: string): AsyncGenerator<UntranslatedTour> {
  for await (const tour of findUntranslated(db, language)) {
    written.tours++;
    yield tour;
  }
}

async function* counted(db: Db, written: Written): AsyncGenerator<Record<string, unknown>> {
  for await (const entry of exportCatalog(db)) {
    written.tours++;
    written.departures += (entry.departures as unknown[]).length;
    yield entry;
  }
}

export interface ExportOptions {
  out?: string;
  format?: 'json' | 'jsonl' | 'csv';
  only?: 'tours' | 'departures';
  /** A language tag: writes only what is not translated into this language. */
  missing?: string;
}

/** Returns the given format. Without one, returns the format that the file's name ends with, or json. */
export function exportFormat({ format, out }: ExportOptions): 'json' | 'jsonl' | 'csv' {
  if (format !== undefined) return format;
  return (['jsonl', 'csv'] as const).find((known) => out?.endsWith(`.${known}`)) ?? 'json';
}
