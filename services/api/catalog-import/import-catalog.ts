import type { Trx } from '../../platform/database';
import type { Catalog } from './check-catalog';
import { createFaultList } from './fault-list';
import { CatalogRefusedError } from './import.errors';
import type { ImportReport } from './import-report';
import { stageImport } from './stage-import';
import { closeStage, openStage } from './stage.repository';
import { writeStaged } from './write-import';

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
  const stage = await openStage(trx);
  const faults = createFaultList([]);
  faults.add(catalog.faults);
  const staged = await stageImport(trx, stage, chunksOf(catalog), faults, options);
  if (faults.count() > 0) throw new CatalogRefusedError(staged.report);
  const report = await writeStaged(trx, staged, stage, async () => undefined);
  await closeStage(stage);
  return report;
}

const TOURS_A_CHUNK = 200;

async function* chunksOf({ tours, timeZones }: Catalog) {
  yield { tours: [], timeZones };
  for (let start = 0; start < tours.length; start += TOURS_A_CHUNK)
    yield { tours: tours.slice(start, start + TOURS_A_CHUNK), timeZones: [] };
}
