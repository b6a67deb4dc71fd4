import { createWriteStream, existsSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportCatalog } from '../../../services/api/catalog-import/export-catalog';
import type { Db } from '../../../services/platform/database';
import { AppError } from '../../../services/platform/errors';
import type { Context } from '../../engine/context';

interface Written {
  tours: number;
  departures: number;
}

interface Options {
  out?: string;
  format?: 'json' | 'jsonl';
  force?: boolean;
}

export async function exportCatalogCommand(
  { db, io, output }: Context,
  { out, format = out?.endsWith('.jsonl') ? 'jsonl' : 'json', force = false }: Options,
): Promise<void> {
  if (out !== undefined && !force) refuseExisting(out);
  const written: Written = { tours: 0, departures: 0 };
  // Reads one state of the catalog, even if an import runs meanwhile.
  await db.transaction(
    async (snapshot) => {
      const text = inPieces(format === 'json' ? asJson(snapshot, written) : asLines(snapshot, written));
      if (out === undefined) await output.pour(text, 'json');
      else await writeWholeFile(out, Readable.from(text), { force, stop: io.interrupted });
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
  const summary = `${written.tours} tours with ${written.departures} departures`;
  if (out === undefined) output.note(summary);
  else output.answer({ file: out, ...written }, () => `${out}: ${summary}`);
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

/** @throws UnwritableFileError */
function refuseExisting(file: string): void {
  if (existsSync(file)) throw new UnwritableFileError(file, 'it exists; --force replaces it');
}

/**
 * Writes a temporary file in the same directory and renames it when it is complete and on disk, so that no reader finds an incomplete
 * file, and a replaced file stays unchanged until then.
 * @throws UnwritableFileError
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
    // Uses link, because rename would replace a file that was created meanwhile.
    if (force) await rename(beside, file);
    else await link(beside, file);
  } catch (error) {
    const { syscall, code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') refuseExisting(file);
    throw syscall ? new UnwritableFileError(file, message) : error;
  } finally {
    await rm(beside, { force: true });
  }
}

class UnwritableFileError extends AppError {
  readonly code = 'file_not_written';

  constructor(file: string, reason: string) {
    super(`${file} cannot be written (${reason})`);
  }
}
