import { createReadStream } from 'node:fs';
import path from 'node:path';
import { CATALOG_FILE_TYPES } from './catalog-file-types';
import type { CatalogRecord } from './catalog-record';
import type { FaultList } from './fault-list';
import type { Recall } from './known-tour';
import { readCsv } from './read-csv';
import { readJson, readJsonLines } from './read-json';

type Reader = (
  file: string,
  text: AsyncIterable<string>,
  faults: FaultList,
  recall?: Recall,
) => AsyncGenerator<CatalogRecord[]>;

const READERS: Record<(typeof CATALOG_FILE_TYPES)[number], Reader> = {
  '.json': readJson,
  '.jsonl': readJsonLines,
  '.csv': readCsv,
};
const BYTES_A_CHUNK = 256 * 1024;

/**
 * Reads one catalog file a chunk at a time; its name says what it is. What the file says wrong goes to `faults`.
 * @param onBytes is told how many more were read
 * @param recall undefined: every entry is read
 * @throws what the file system says of a file that cannot be read
 */
export async function* readCatalogFile(
  file: string,
  faults: FaultList,
  onBytes: (count: number) => void = () => {},
  recall?: Recall,
): AsyncGenerator<CatalogRecord[]> {
  const refuse = (message: string) => faults.add([{ file, line: 1, field: '', message }]);
  const type = CATALOG_FILE_TYPES.find((known) => known === path.extname(file).toLowerCase());
  if (!type) return refuse(`must be a ${CATALOG_FILE_TYPES.join(', ')} file`);
  try {
    yield* READERS[type](file, readText(file, onBytes), faults, recall);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    refuse('must be UTF-8 text: save it again as "CSV UTF-8" or UTF-8');
  }
}

/** Without a byte order mark. */
async function* readText(file: string, onBytes: (count: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const bytes of createReadStream(file, { highWaterMark: BYTES_A_CHUNK })) {
    onBytes((bytes as Buffer).length);
    yield decoder.decode(bytes as Buffer, { stream: true });
  }
  yield decoder.decode();
}
