import { type Db, inTransaction } from '../../platform/database';
import { createFaultList } from './fault-list';
import type { WatchImport } from './import-progress';
import { readCatalog } from './read-catalog';
import { type StagedImport, stageImport, type StageOptions } from './stage-import';
import { closeStage, openStage } from './stage.repository';
import { findKnownTours } from './tour-imports.repository';
import { writeRemembered } from './write-import';

/**
 * Reads catalog files and compares them with the database, a chunk at a time, so that memory does not grow with the files.
 * `writeImport` writes what came of it; `work` is the time in which it can.
 * @param db a pool with two connections or more: the stage keeps one
 * @throws what the file system says of a file that cannot be read
 */
export async function withComparedFiles<T>(
  db: Db,
  files: string[],
  options: StageOptions,
  watch: WatchImport,
  work: (staged: StagedImport) => Promise<T>,
): Promise<T> {
  const stage = await openStage(db);
  try {
    const faults = createFaultList(files);
    const recall = (digests: string[]) => findKnownTours(stage, digests, options.prune);
    const tours = readCatalog(files, stage, faults, watch, recall);
    const staged = await stageImport(db, stage, tours, faults, options);
    const done = await work(staged);
    if (!options.dryRun && !staged.hasChanges && staged.remembered > 0)
      await inTransaction(db, (trx) => writeRemembered(trx, staged));
    return done;
  } finally {
    await closeStage(stage);
  }
}
