import path from 'node:path';
import { withComparedFiles } from '../../../services/api/catalog/files/compare-files';
import { CatalogRefusedError } from '../../../services/api/catalog/files/import.errors';
import type { WatchImport } from '../../../services/api/catalog/files/import-progress';
import type { ImportReport } from '../../../services/api/catalog/files/import-report';
import type { StagedImport } from '../../../services/api/catalog/files/stage-import';
import { writeImport } from '../../../services/api/catalog/files/write-import';
import { relockDeparture } from '../../../services/api/departures/reserve-seats';
import type { Context } from '../../context';
import { describeReport } from './import-text';
import { showProgress } from './progress-bar';

/** Reads and compares before the transaction begins, so that it only locks and writes what changes. */
export async function importCatalogCommand(
  context: Context,
  { dryRun = false, prune = false }: { dryRun?: boolean; prune?: boolean },
  files: string[],
): Promise<void> {
  const { db, io, output } = context;
  const progress = showProgress(io, output.json);
  let report: ImportReport;
  try {
    report = await withComparedFiles(db, files, { prune, dryRun }, progress.watch, async (staged) => {
      if (dryRun || !staged.hasChanges) return staged.report;
      progress.clear();
      if (prune) await confirmPruning(context, staged.report);
      return write(context, staged, files, progress.watch);
    });
  } finally {
    progress.clear();
  }
  output.answer(report, () => describeReport(report));
  // The report is the answer, also of a refusal; the reason to stop is the error.
  if (report.errors.length > 0) throw new CatalogRefusedError(report);
  if (dryRun) output.note('Nothing was written: this was a dry run');
}

async function write(
  { audited }: Context,
  staged: StagedImport,
  files: string[],
  watch: WatchImport,
): Promise<ImportReport> {
  const subject = files.map((file) => path.basename(file)).join(' ');
  try {
    return await audited({ action: 'catalog.import', subject }, async (trx, note) => {
      const { errors: _, ...written } = await writeImport(trx, staged, relockDeparture, watch);
      note(null, written);
      return { ...written, errors: [] };
    });
  } catch (error) {
    if (error instanceof CatalogRefusedError) return error.report;
    throw error;
  }
}

async function confirmPruning({ confirm }: Context, { pruned }: ImportReport): Promise<void> {
  const { tours_archived: tours, departures_deleted: deleted, departures_cancelled: cancelled } = pruned!;
  if (tours + deleted + cancelled === 0) return;
  await confirm(`Archive ${tours} tours, delete ${deleted} departures and cancel ${cancelled} more?`);
}
