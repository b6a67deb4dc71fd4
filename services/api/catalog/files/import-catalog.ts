import type { Trx } from '../../../platform/database';
import type { Catalog } from './check-catalog';
import { CatalogRefusedError } from './import.errors';
import { type ImportReport, reportImport } from './import-report';
import { planImport } from './plan-import';
import { writeImport } from './write-import';

/**
 * Compares and writes in one go, for a catalog that is small or alone and takes no seats from departures that are stored:
 * it leaves it to others to write down which holds are over. `tourctl` compares before its transaction begins.
 * @throws CatalogRefusedError, ImportRunningError, CatalogBusyError
 */
export async function importCatalog(
  trx: Trx,
  catalog: Catalog,
  options: { prune: boolean },
): Promise<ImportReport> {
  const plan = await planImport(trx, catalog, options);
  if (plan.faults.length > 0) throw new CatalogRefusedError(reportImport(plan, []));
  return writeImport(trx, plan, [], async () => undefined);
}
