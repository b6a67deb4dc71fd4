import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CATALOG_FILE_TYPES } from './catalog-file-types';
import type { CatalogRecords } from './catalog-record';
import { readCsv } from './read-csv';
import { readJson, readJsonLines } from './read-json';

type Reader = (file: string, text: string) => CatalogRecords;

const READERS: Record<(typeof CATALOG_FILE_TYPES)[number], Reader> = {
  '.json': readJson,
  '.jsonl': readJsonLines,
  '.csv': readCsv,
};

/**
 * Reads one catalog file; its name says what it is. What the file says wrong comes back as faults.
 * @throws what the file system says of a file that cannot be read
 */
export async function readCatalogFile(file: string): Promise<CatalogRecords> {
  const type = CATALOG_FILE_TYPES.find((known) => known === path.extname(file).toLowerCase());
  if (!type) return refused(file, `must be a ${CATALOG_FILE_TYPES.join(', ')} file`);
  const bytes = await readFile(file);
  if (!isUtf8(bytes)) return refused(file, 'must be UTF-8 text: save it again as "CSV UTF-8" or UTF-8');
  return READERS[type](file, bytes.toString('utf8').replace(/^\ufeff/, ''));
}

function refused(file: string, message: string): CatalogRecords {
  return { records: [], faults: [{ file, line: 1, field: '', message }] };
}
