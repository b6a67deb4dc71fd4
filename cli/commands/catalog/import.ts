import path from 'node:path';
import { CatalogRefusedError } from '../../../services/api/catalog/files/import.errors';
import type { ImportPlan } from '../../../services/api/catalog/files/import-plan';
import { type ImportReport, reportImport } from '../../../services/api/catalog/files/import-report';
import { planImport } from '../../../services/api/catalog/files/plan-import';
import { readCatalog } from '../../../services/api/catalog/files/read-catalog';
import { writeImport } from '../../../services/api/catalog/files/write-import';
import { relockDeparture } from '../../../services/api/departures/reserve-seats';
import type { Context } from '../../context';
import { describeReport } from './import-text';

/** Reads and compares before the transaction begins, so that it only locks and writes what changes. */
export async function importCatalogCommand(
  context: Context,
  { dryRun = false, prune = false }: { dryRun?: boolean; prune?: boolean },
  files: string[],
): Promise<void> {
  const { db, output } = context;
  const plan = await planImport(db, await readCatalog(files), { prune });
  let report = reportImport(plan, files);
  if (report.errors.length === 0 && !dryRun && hasChanges(plan)) {
    if (prune) await confirmPruning(context, report);
    report = await write(context, plan, files);
  }
  output.answer(report, () => describeReport(report));
  // The report is the answer, also of a refusal; the reason to stop is the error.
  if (report.errors.length > 0) throw new CatalogRefusedError(report);
  if (dryRun) output.note('Nothing was written: this was a dry run');
}

async function write({ audited }: Context, plan: ImportPlan, files: string[]): Promise<ImportReport> {
  const subject = files.map((file) => path.basename(file)).join(' ');
  try {
    return await audited({ action: 'catalog.import', subject }, async (trx, note) => {
      const { errors: _, ...written } = await writeImport(trx, plan, files, relockDeparture);
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

function hasChanges(plan: ImportPlan): boolean {
  return plan.changes.length > 0 || plan.archived.length > 0;
}
