import { createReadStream } from 'node:fs';
import path from 'node:path';
import { CATALOG_FILE_TYPES, type CatalogRecord, type FindUnchanged } from './catalog-file';
import type { IssueList } from './issue';
import { readCsv } from './read-csv';
import { readJson, readJsonLines } from './read-json';

type Reader = (
  file: string,
  text: AsyncIterable<string>,
  issues: IssueList,
  findUnchanged?: FindUnchanged,
) => AsyncGenerator<CatalogRecord[]>;

const READERS: Record<(typeof CATALOG_FILE_TYPES)[number], Reader> = {
  '.json': readJson,
  '.jsonl': readJsonLines,
  '.csv': readCsv,
};
const BYTES_A_CHUNK = 256 * 1024;

/**
 * Reads one catalog file a chunk at a time.
 * @param onBytes receives the number of bytes read since its last call
 * @param findUnchanged undefined: parses every entry
 * @throws the file system's error for a file that cannot be read
 */
export async function* readCatalogFile(
  file: string,
  issues: IssueList,
  onBytes: (count: number) => void,
  findUnchanged?: FindUnchanged,
): AsyncGenerator<CatalogRecord[]> {
  const refuse = (message: string) => issues.add([{ file, line: 1, field: '', message }]);
  const type = CATALOG_FILE_TYPES.find((known) => known === path.extname(file).toLowerCase());
  if (!type) return refuse(`must be a ${CATALOG_FILE_TYPES.join(', ')} file`);
  try {
    yield* READERS[type](file, readText(file, onBytes), issues, findUnchanged);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    refuse('must be UTF-8 text: save it again as "CSV UTF-8" or UTF-8');
  }
}

/** Leaves out a byte order mark. */
async function* readText(file: string, onBytes: (count: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const bytes of createReadStream(file, { highWaterMark: BYTES_A_CHUNK })) {
    onBytes((bytes as Buffer).length);
    yield decoder.decode(bytes as Buffer, { stream: true });
  }
  yield decoder.decode();
}
