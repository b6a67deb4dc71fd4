import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Db, inTransaction } from '../../services/platform/database';
import { withComparedFiles } from '../../services/api/catalog-import/compare-files';
import type { Fault } from '../../services/api/catalog-import/fault';
import { createFaultList } from '../../services/api/catalog-import/fault-list';
import { CatalogRefusedError } from '../../services/api/catalog-import/import.errors';
import type { ImportReport } from '../../services/api/catalog-import/import-report';
import { readCatalog } from '../../services/api/catalog-import/read-catalog';
import type { StagedImport } from '../../services/api/catalog-import/stage-import';
import { closeStage, openStage } from '../../services/api/catalog-import/stage.repository';
import type { TourInFile } from '../../services/api/catalog-import/tour-in-file';
import { writeImport } from '../../services/api/catalog-import/write-import';
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

/** What these files say, and what is wrong with that, in the order of the files; by their base names. */
export async function readFiles(
  db: Db,
  contents: Record<string, unknown>,
): Promise<{ tours: TourInFile[]; faults: Fault[] }> {
  const files = writeFiles(contents);
  const faults = createFaultList(files);
  const stage = await openStage(db);
  const tours: TourInFile[] = [];
  for await (const chunk of readCatalog(files, stage, faults)) tours.push(...chunk.tours);
  await closeStage(stage);
  return { tours, faults: faults.listed().map(withBaseName) };
}

/** What the import of these files reports, faults included; the faults' files by their base names. */
export async function importFiles(
  db: Db,
  contents: Record<string, unknown>,
  { prune = false, dryRun = false }: { prune?: boolean; dryRun?: boolean } = {},
): Promise<ImportReport> {
  const report = await compareFiles(
    db,
    contents,
    async (staged) => {
      if (staged.report.errors.length > 0 || dryRun) return staged.report;
      try {
        return await write(db, staged);
      } catch (error) {
        if (error instanceof CatalogRefusedError) return error.report;
        throw error;
      }
    },
    { prune, dryRun },
  );
  return { ...report, errors: report.errors.map(withBaseName) };
}

/** Runs `work` between the comparison and the writing of an import. */
export function compareFiles<T>(
  db: Db,
  contents: Record<string, unknown>,
  work: (staged: StagedImport) => Promise<T>,
  options: { prune: boolean; dryRun?: boolean } = { prune: false },
): Promise<T> {
  return withComparedFiles(db, writeFiles(contents), options, () => {}, work);
}

export function write(db: Db, staged: StagedImport): Promise<ImportReport> {
  return inTransaction(db, (trx) => writeImport(trx, staged, relockDeparture));
}

function withBaseName(fault: Fault): Fault {
  return { ...fault, file: path.basename(fault.file) };
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
