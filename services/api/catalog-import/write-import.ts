import { refuseWhenLocked, type Trx } from '../../platform/database';
import {
  allowLongStatements,
  applyStage,
  claimImport,
  countStaged,
  findOvertaken,
  findStagedWithExpired,
  findTakenSlugs,
  lockStaged,
  type StagedCounts,
  unstage,
} from './apply-stage.repository';
import {
  CatalogBusyError,
  CatalogChangedError,
  CatalogRefusedError,
  ImportRunningError,
} from './import.errors';
import type { BookingsToTell } from './import-plan';
import type { WatchImport } from './import-progress';
import { type ImportReport, reportImport, reportRefusal } from './import-report';
import { planTours } from './plan-import';
import { isChange } from './plan-tour';
import type { StagedImport } from './stage-import';
import { rememberStaged } from './tour-imports.repository';
import { closeStage, copyStage, findStagedFiles, type Stage, stageChanges } from './stage.repository';

/**
 * Writes down which holds and unpaid leads of a departure are over, and announces it: the room of departures', which this
 * one does not know. The transaction holds the departure's lock.
 */
type EndExpired = (trx: Trx, departureId: string) => Promise<unknown>;

const TOURS_A_CHUNK = 200;

/**
 * Writes a staged import, all of it or nothing. Keep the transaction short: bookings of the departures that change wait, from
 * the moment the staged rows are copied over.
 * @throws CatalogRefusedError, CatalogChangedError, ImportRunningError, CatalogBusyError
 */
export async function writeImport(
  trx: Trx,
  staged: StagedImport,
  endExpired: EndExpired,
  watch: WatchImport = () => {},
): Promise<ImportReport> {
  await allowLongStatements(trx);
  const copy = await copyStage(staged.stage, trx);
  const report = await writeStaged(trx, staged, copy, endExpired, watch);
  await closeStage(copy);
  return report;
}

/**
 * The same where the transaction's own connection has the stage. Locks what changes, in one order everywhere, and compares
 * again what is not as it was: seats may have been taken since.
 * @param own the stage of the transaction
 */
export async function writeStaged(
  trx: Trx,
  staged: StagedImport,
  own: Stage,
  endExpired: EndExpired,
  watch: WatchImport = () => {},
): Promise<ImportReport> {
  if (!(await claimImport(trx))) throw new ImportRunningError();
  await refuseWhenLocked('import', lockStaged(trx), () => new CatalogBusyError());
  // Seats that are given away stay so, even if the clock steps back.
  for (const id of await findStagedWithExpired(trx)) await endExpired(trx, id);
  const [taken] = await findTakenSlugs(trx);
  if (taken !== undefined) throw new CatalogChangedError(taken);
  const toTell = await compareOvertaken(trx, staged, own);
  const counts = await countStaged(trx);
  let done = 0;
  await applyStage(trx, counts, (rows) => watch({ phase: 'writing', done: (done += rows), of: staged.rows }));
  await rememberStaged(trx);
  return reportWritten(staged, counts, toTell);
}

/** Of an import that changes nothing: that the next one need not compare. No lock is waited for, and no other import. */
export async function writeRemembered(trx: Trx, staged: StagedImport): Promise<void> {
  await allowLongStatements(trx);
  if (!(await claimImport(trx))) return;
  const copy = await copyStage(staged.stage, trx);
  await rememberStaged(trx);
  await closeStage(copy);
}

async function compareOvertaken(trx: Trx, staged: StagedImport, own: Stage): Promise<BookingsToTell[]> {
  const overtaken = await findOvertaken(trx);
  const { faults } = staged;
  const toTell: BookingsToTell[] = [];
  for (let start = 0; start < overtaken.length; start += TOURS_A_CHUNK) {
    const ids = overtaken.slice(start, start + TOURS_A_CHUNK);
    const files = await findStagedFiles(staged.stage, ids);
    const planned = (await planTours(trx, files, staged.prune)).map((tour) => tour.planned);
    for (const tour of planned) faults.add(tour.faults);
    const changes = planned.map((tour) => tour.change).filter(isChange);
    toTell.push(...changes.flatMap((change) => change.toTell));
    await unstage(trx, ids);
    await stageChanges(own, changes);
  }
  if (faults.count() > 0)
    throw new CatalogRefusedError(reportRefusal(faults.listed(), faults.count(), staged.prune));
  return toTell;
}

/** What the first comparison found as it should be was not looked at again. */
function reportWritten(
  staged: StagedImport,
  { tours, departures }: StagedCounts,
  toTell: BookingsToTell[],
): ImportReport {
  const counted = (of: number, created = 0, updated = 0) => ({
    created,
    updated,
    unchanged: of - created - updated,
  });
  const counts = {
    tours: counted(staged.tours, tours.insert, tours.update),
    departures: counted(staged.departures, departures.insert, departures.update),
  };
  const pruned = {
    tours_archived: tours.archive ?? 0,
    departures_deleted: departures.delete ?? 0,
    departures_cancelled: departures.cancel ?? 0,
  };
  const report = reportImport(counts, staged.prune ? pruned : undefined, toTell);
  const past = staged.report.past_departures;
  return past ? { ...report, past_departures: past } : report;
}
