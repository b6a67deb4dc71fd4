import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportCatalog } from '../../../services/api/catalog/files/export-catalog';
import type { Db } from '../../../services/platform/database';
import type { Context } from '../../context';
import { UnwritableFileError } from './unwritable-file-error';

interface Written {
  tours: number;
  departures: number;
}

export async function exportCatalogCommand(
  { db, io, output }: Context,
  { out, format = out?.endsWith('.jsonl') ? 'jsonl' : 'json' }: { out?: string; format?: 'json' | 'jsonl' },
): Promise<void> {
  const written: Written = { tours: 0, departures: 0 };
  // One state of the catalog, whatever is imported meanwhile.
  await db.transaction(
    async (snapshot) => {
      const text = Readable.from(format === 'json' ? asJson(snapshot, written) : asLines(snapshot, written));
      if (out === undefined) await pipeline(text, io.stdout, { end: false });
      else await writeTo(out, text);
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
  const summary = `${written.tours} tours with ${written.departures} departures`;
  if (out === undefined) output.note(summary);
  else output.answer({ file: out, ...written }, () => `${out}: ${summary}`);
}

async function writeTo(file: string, text: Readable): Promise<void> {
  try {
    await pipeline(text, createWriteStream(file));
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw syscall ? new UnwritableFileError(file, message) : error;
  }
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
