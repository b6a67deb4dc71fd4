import { createWriteStream, existsSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import path from 'node:path';
import { type CsvKind, csvLines } from '../../../services/api/catalog-import/catalog-csv';
import { exportCatalog } from '../../../services/api/catalog-import/export-catalog';
import type { Db } from '../../../services/platform/database';
import type { Context } from '../../engine/context';
import { FileNotWrittenError } from '../../engine/failure';
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
  const summary = `${countOf(written.tours, 'tour')} with ${countOf(written.departures, 'departure')}`;
  const [file, departuresFile] = files;
  if (file === undefined) return output.note(summary);
  const document = { file, ...(departuresFile && { departures_file: departuresFile }), ...written };
  output.answer(document, () => `${files.join(', ')}: ${summary}`);
}

/**
 * Returns the parts of an export. A CSV file has either tours or departures, so a CSV export without `only` writes two files: `tours.csv`
 * and `tours-departures.csv`.
 */
function partsOf(options: ExportOptions): Part[] {
  const { out: file, only } = options;
  const format = exportFormat(options);
  if (format !== 'csv') return [{ file, text: format === 'json' ? asJson : asLines }];
  const csv = (kind: CsvKind) => (db: Db, written: Written) => csvLines(counted(db, written), kind);
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

async function* asJson(db: Db, written: Written): AsyncGenerator<string> {
  yield '[';
  for await (const entry of counted(db, written)) {
    yield `${written.tours > 1 ? ',' : ''}\n${JSON.stringify(entry, null, 2)}`;
  }
  yield '\n]\n';
}

async function* asLines(db: Db, written: Written): AsyncGenerator<string> {
  for await (const entry of counted(db, written)) yield `${JSON.stringify(entry)}\n`;
}

async function* counted(db: Db, written: Written): AsyncGenerator<Record<string, unknown>> {
  for await (const entry of exportCatalog(db)) {
    written.tours++;
    written.departures += (entry.departures as unknown[]).length;
    yield entry;
  }
}

interface WholeFileOptions {
  /** Replaces an existing file. */
  force: boolean;
  stop?: AbortSignal;
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new FileNotWrittenError(file, 'it exists; --force replaces it');
}

/**
 * Writes a temporary file in the same directory. Renames this file when it is complete and on disk, so that no reader finds an incomplete
 * file. An existing file stays unchanged until the rename.
 * @throws FileNotWrittenError
 */
async function writeWholeFile(
  file: string,
  text: Readable,
  { force, stop }: WholeFileOptions,
): Promise<void> {
  const beside = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.part`);
  try {
    await pipeline(text, createWriteStream(beside, { flags: 'wx' }), { signal: stop });
    const handle = await open(beside, 'r+');
    await handle.sync().finally(() => handle.close());
    // Without --force uses link, because rename would replace a file that was created meanwhile.
    if (force) await rename(beside, file);
    else await link(beside, file);
  } catch (error) {
    const { syscall, code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') refuseExisting(file);
    throw syscall ? new FileNotWrittenError(file, message) : error;
  } finally {
    await rm(beside, { force: true });
  }
}

export interface ExportOptions {
  out?: string;
  format?: 'json' | 'jsonl' | 'csv';
  only?: 'tours' | 'departures';
}

/** Returns the given format. Without one, returns the format that the file's name ends with, or json. */
export function exportFormat({ format, out }: ExportOptions): 'json' | 'jsonl' | 'csv' {
  if (format !== undefined) return format;
  return (['jsonl', 'csv'] as const).find((known) => out?.endsWith(`.${known}`)) ?? 'json';
}
