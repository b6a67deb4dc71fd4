import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Db, inTransaction } from '../../services/platform/database/database';
import {
  type ComparedImport,
  type ImportOptions,
  withComparedFiles,
  writeImport,
} from '../../services/api/catalog-import/import-catalog';
import type { ImportReport } from '../../services/api/catalog-import/import-report';
import { CatalogRefusedError } from '../../services/api/catalog-import/import.errors';
import type { Issue } from '../../services/api/catalog-import/catalog-file';
import { queryStage } from '../../services/api/catalog-import/stage.repository';
import { useTemporaryFolder } from '../support/temporary-folder';

const FOLDER = useTemporaryFolder();

/** Writes files by name to the test's own directory, objects as JSON. Returns their paths in order. */
export function writeFiles(contents: Record<string, unknown>): string[] {
  const directory = mkdtempSync(path.join(FOLDER, 'catalog-'));
  return Object.entries(contents).map(([name, content]) => {
    const file = path.join(directory, name);
    const raw = typeof content === 'string' || Buffer.isBuffer(content);
    writeFileSync(file, raw ? content : JSON.stringify(content));
    return file;
  });
}

/** The valid fields of a tour, as they are staged. */
export interface StagedTour {
  slug: string;
  place: { line: number | null };
  fields: Record<string, unknown>;
  departures: { fields: Record<string, unknown> }[];
}

/** Returns the content and the issues of the files, in their order, by base name. */
export async function readFiles(
  db: Db,
  contents: Record<string, unknown>,
): Promise<{ tours: StagedTour[]; issues: Issue[] }> {
  return compareFiles(
    db,
    contents,
    async ({ stage, report }) => {
      const tours = await queryStage<StagedTour>(stage, STAGED_TOURS);
      return { tours, issues: report.errors.map(withBaseName) };
    },
    { prune: false, dryRun: true },
  );
}

const STAGED_TOURS = `
  select slug, json_build_object('line', line) as place,
    columns - '{name_folded,currency_digits,base_price_minor}'::text[] || jsonb_build_object('base_price', base_price) as fields,
    array(select json_build_object('fields', json_strip_nulls(json_build_object('departure_date', departure_date, 'start_time', start_time,
            'seats_total', seats_total, 'return_date', return_date, 'status', status, 'closes_at', closes_at,
            'prices', (select jsonb_object_agg(code, nullif(amount, '')::numeric) from jsonb_each_text(prices) as price (code, amount)))))
          from staged_departures d where d.entry = t.entry order by position) as departures
  from staged_tours t where slug is not null order by entry`;

/** Returns the report of the import; issues name the base names of the files. */
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

/** Imports the tours from one file, tours.json. */
export function importTours(db: Db, ...tours: unknown[]): Promise<ImportReport> {
  return importFiles(db, { 'tours.json': tours });
}

/** Runs `work` between the comparison and the writing of an import. */
export function compareFiles<T>(
  db: Db,
  contents: Record<string, unknown>,
  work: (compared: ComparedImport) => Promise<T>,
  options: ImportOptions = { prune: false },
): Promise<T> {
  return withComparedFiles(db, writeFiles(contents), options, () => {}, work);
}

export function write(db: Db, compared: ComparedImport): Promise<ImportReport> {
  return inTransaction(db, (trx) => writeImport(trx, compared));
}

function withBaseName(issue: Issue): Issue {
  return { ...issue, file: path.basename(issue.file) };
}

/** Returns a valid tour of a catalog file; the given fields replace or extend it. */
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
