import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportCatalog } from '../../../services/api/catalog/files/export-catalog';
import type { Db } from '../../../services/platform/database';
import type { Context } from '../../context';
import { refuseExisting, writeWholeFile } from './write-whole-file';

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
  // One state of the catalog, whatever is imported meanwhile.
  await db.transaction(
    async (snapshot) => {
      const text = Readable.from(
        inPieces(format === 'json' ? asJson(snapshot, written) : asLines(snapshot, written)),
      );
      if (out === undefined) await pipeline(text, io.stdout, { end: false });
      else await writeWholeFile(out, text, { force, stop: io.interrupted });
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
  const summary = `${written.tours} tours with ${written.departures} departures`;
  if (out === undefined) output.note(summary);
  else output.answer({ file: out, ...written }, () => `${out}: ${summary}`);
}

const CHARACTERS_A_PIECE = 64 * 1024;

/** A write for each of 100,000 tours costs more than making their text. */
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
