import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Db, inTransaction } from '../../services/platform/database';
import { CatalogRefusedError } from '../../services/api/catalog/files/import.errors';
import { type ImportReport, reportImport } from '../../services/api/catalog/files/import-report';
import { planImport } from '../../services/api/catalog/files/plan-import';
import { readCatalog } from '../../services/api/catalog/files/read-catalog';
import { writeImport } from '../../services/api/catalog/files/write-import';
import { relockDeparture } from '../../services/api/departures/reserve-seats';

/** Files of the test's own directory, by name; objects are written as JSON. Returns their paths in order. */
export function writeFiles(contents: Record<string, unknown>): string[] {
  const directory = mkdtempSync(path.join(tmpdir(), 'catalog-'));
  return Object.entries(contents).map(([name, content]) => {
    const file = path.join(directory, name);
    const raw = typeof content === 'string' || Buffer.isBuffer(content);
    writeFileSync(file, raw ? content : JSON.stringify(content));
    return file;
  });
}

/** What the import of these files reports, faults included; the faults' files by their base names. */
export async function importFiles(
  db: Db,
  contents: Record<string, unknown>,
  { prune = false, dryRun = false }: { prune?: boolean; dryRun?: boolean } = {},
): Promise<ImportReport> {
  const files = writeFiles(contents);
  const plan = await planImport(db, await readCatalog(files), { prune });
  const planned = reportImport(plan, files);
  if (planned.errors.length > 0 || dryRun) return withBaseNames(planned);
  try {
    return withBaseNames(await inTransaction(db, (trx) => writeImport(trx, plan, files, relockDeparture)));
  } catch (error) {
    if (error instanceof CatalogRefusedError) return withBaseNames(error.report);
    throw error;
  }
}

function withBaseNames(report: ImportReport): ImportReport {
  return { ...report, errors: report.errors.map((fault) => ({ ...fault, file: path.basename(fault.file) })) };
}

/** A sound tour of a catalog file; what is given replaces or adds fields. */
export function tourEntry(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    slug: 'dolomites-hut-to-hut',
    name: 'Dolomites, Hut to Hut',
    continent: 'europe',
    country: 'IT',
    duration_days: 7,
    currency: 'EUR',
    base_price: 1290,
    time_zone: 'Europe/Rome',
    ...fields,
  };
}

export function departureEntry(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { departure_date: '2031-06-01', seats_total: 10, prices: { adult: 1290 }, ...fields };
}
