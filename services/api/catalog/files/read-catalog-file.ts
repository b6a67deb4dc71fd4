import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CatalogRecords } from './catalog-record';
import { readCsv } from './read-csv';
import { readJson, readJsonLines } from './read-json';

const READERS: Record<string, (file: string, text: string) => CatalogRecords> = {
  '.json': readJson,
  '.jsonl': readJsonLines,
  '.csv': readCsv,
};

export const CATALOG_FILE_TYPES = Object.keys(READERS);

/**
 * Reads one catalog file; its name says what it is. What the file says wrong comes back as faults.
 * @throws what the file system says of a file that cannot be read
 */
export async function readCatalogFile(file: string): Promise<CatalogRecords> {
  const reader = READERS[path.extname(file).toLowerCase()];
  if (!reader) return refused(file, `must be a ${CATALOG_FILE_TYPES.join(', ')} file`);
  const bytes = await readFile(file);
  if (!isUtf8(bytes)) return refused(file, 'must be UTF-8 text: save it again as "CSV UTF-8" or UTF-8');
  return reader(file, bytes.toString('utf8').replace(/^\ufeff/, ''));
}

function refused(file: string, message: string): CatalogRecords {
  return { records: [], faults: [{ file, line: 1, field: '', message }] };
}
