import { type Db, inTransaction, refuseWhenLocked, type Trx } from '../../platform/database/database';
import { assertTripsFit, ResourceBusyError } from '../resources/busy-trips';
import { findTouchedTours } from '../resources/find-touched-tours';
import { enqueueDepartureEvents } from '../departures/departure-events';
import { markExpiredSeats } from '../departures/mark-expired-seats';
import {
  allowLongStatements,
  applyChanges,
  applyPickupPoints,
  applyResources,
  claimImport,
  findSoldChanges,
  findChangedTrips,
  findStagedWithExpired,
  reviseTours,
  findTakenSlug,
  findToursOf,
  lockStaged,
} from './apply.repository';
import { type CatalogRecord, createIssueList, type IssueList, type WatchImport } from './catalog-file';
import { compareStaged, stageRemovals } from './compare.repository';
import { findBusyIssues, findIssues } from './issues.repository';
import {
  CatalogBusyError,
  CatalogChangedError,
  CatalogRefusedError,
  ImportRunningError,
  refuseOverlap,
} from './import.errors';
import { findDiff, type ImportReport, reportChanges } from './import-report';
import { findRemovals, type Removals } from './risky-changes';
import { type StagedFiles, stageFiles, stageRecords } from './stage-files';
import {
  closeStage,
  copyChanges,
  dropScheduledTwins,
  openStage,
  prepareStage,
  type Stage,
} from './stage.repository';
import { stageDigests, storeDigests } from './known-digests.repository';

export interface ImportOptions {
  /**
   * True: the import archives the tours that are missing from the files, and removes the departures that are missing from a tour's list.
   */
  prune: boolean;
  /** True: the import reports every change, and writes nothing. */
  dryRun?: boolean;
}

/** An import whose files are in the staging tables. */
interface StagedImport {
  stage: Stage;
  /** The numbers of tours and departures in the files. */
  total: StagedFiles;
  issues: IssueList;
  prune: boolean;
}

/** An import that was compared with the catalog. */
export interface ComparedImport extends StagedImport {
  /** The report of the comparison. It lists the issues if the import is refused. */
  report: ImportReport;
  /** Number of rows to be written. */
  rows: number;
  hasChanges: boolean;
  /** With --prune: the removals that the operator must confirm. */
  removals: Removals;
}

/**
 * Stages catalog files and compares them with the catalog. Takes no lock, but for a dry run that changes trips. The staging tables exist until `work` ends; `work`
 * may call `writeImport`. Stores the digests of an import without changes.
 * @param db a pool with at least two connections: the staging tables keep one
 * @throws the file system's error for a file that cannot be read
 */
export async function withComparedFiles<T>(
  db: Db,
  files: string[],
  { prune, dryRun = false }: ImportOptions,
  watch: WatchImport,
  work: (compared: ComparedImport) => Promise<T>,
): Promise<T> {
  const stage = await openStage(db);
  try {
    const issues = createIssueList(files);
    const total = await stageFiles(stage, files, prune, issues, watch);
    watch({ phase: 'comparing', done: 0, of: total.tours + total.departures });
    const digests = await stageDigests(stage);
    const changes = await compareFiles({ stage, total, issues, prune }, dryRun);
    const compared = dryRun ? await tryTrips(db, changes) : changes;
    const done = await work(compared);
    const isEqual = compared.report.errors.length === 0 && !compared.hasChanges;
    if (!dryRun && isEqual && digests > 0) await inTransaction(db, (trx) => writeDigests(trx, compared));
    return done;
  } finally {
    await closeStage(stage);
  }
}

async function compareFiles(files: StagedImport, dryRun: boolean): Promise<ComparedImport> {
  const staged = await prepare(files);
  const { stage, total, prune } = staged;
  if (prune) await stageRemovals(stage, total.tours > 0 ? total.slugs : undefined);
  const { report, counts } = await compare(staged);
  const isRefused = report.errors.length > 0;
  const tours = sum(counts.tours);
  const rows = tours + sum(counts.departures) + sum(counts.resources) + sum(counts.pickupPoints);
  if (dryRun && !isRefused) {
    report.changes = await findDiff(stage);
    if (tours > report.changes.length) report.changes_left_out = tours - report.changes.length;
  }
  const removals = isRefused ? { digest: '', named: [], shares: [] } : await findRemovals(stage);
  return { ...staged, report, rows, hasChanges: rows > 0, removals };
}

/**
 * Writes an import that changes trips, and rolls it back: only then is it known whether the sold trips still fit.
 * @throws errors of writeImport, without CatalogRefusedError
 */
async function tryTrips(db: Db, compared: ComparedImport): Promise<ComparedImport> {
  const { report, hasChanges, stage } = compared;
  if (report.errors.length > 0 || !hasChanges || (await findChangedTrips(stage)).length === 0)
    return compared;
  const fits = new Error('the trips fit');
  try {
    return await inTransaction(db, async (trx) => {
      await writeImport(trx, compared);
      throw fits;
    });
  } catch (error) {
    if (error === fits) return compared;
    if (error instanceof CatalogRefusedError) return { ...compared, report: error.report };
    throw error;
  }
}

/** Removes departures that a schedule describes a second time. Then prepares the staging tables for the comparison. */
async function prepare<T extends StagedImport>(staged: T): Promise<T> {
  const { stage, total } = staged;
  const dropped = await dropScheduledTwins(stage);
  await prepareStage(stage);
  return { ...staged, total: { ...total, departures: total.departures - dropped } };
}

/** Decides what the import changes. Runs before the operator confirms the import, and again under the locks. */
async function compare({ stage, total, issues, prune }: StagedImport) {
  await compareStaged(stage);
  issues.add(await findIssues(stage));
  return reportChanges(stage, total, issues, prune);
}

function sum(counts: Partial<Record<string, number>>): number {
  return Object.values(counts).reduce<number>((total, count) => total + (count ?? 0), 0);
}

/**
 * Writes a compared import, all of it or nothing, with the events of the departures that it changes. Keep the transaction
 * short: bookings of the departures that change wait.
 * @throws CatalogRefusedError, CatalogChangedError, ImportRunningError, CatalogBusyError, EarlierReleaseRunsError
 */
export async function writeImport(
  trx: Trx,
  compared: ComparedImport,
  watch: WatchImport = () => {},
): Promise<ImportReport> {
  await allowLongStatements(trx);
  const stage = await copyChanges(compared.stage, trx);
  const report = await writeStaged(trx, { ...compared, stage }, watch);
  await closeStage(stage);
  return report;
}

/**
 * Locks the staged tours and departures in the common lock order, and compares them again under the locks: seats may have been
 * taken since the first comparison. Then writes the changes.
 */
async function writeStaged(
  trx: Trx,
  given: StagedImport & { rows: number },
  watch: WatchImport,
): Promise<ImportReport> {
  if (!(await claimImport(trx))) throw new ImportRunningError();
  const staged = await prepare(given);
  await refuseWhenLocked('import', lockStaged(trx), () => new CatalogBusyError());
  // Marks expired holds and leads, because the import may use their seats. A marked hold or lead stays expired, even if the clock goes
  // back.
  const { at, ids } = await findStagedWithExpired(trx);
  for (const id of ids) await markExpiredSeats(trx, [id], at);
  const taken = await findTakenSlug(trx);
  if (taken !== undefined) throw new CatalogChangedError(`The tour ${taken} was added to the catalog`);
  const { report, counts } = await compare(staged);
  if (report.errors.length > 0) throw new CatalogRefusedError(report);
  let done = 0;
  const onRows = (more: number) => watch({ phase: 'writing', done: (done += more), of: staged.rows });
  const changedTrips = await findChangedTrips(staged.stage);
  const touched = await findTouchedTours(trx, changedTrips);
  const write = async () => {
    if (counts.resources.insert || counts.resources.update) onRows(await applyResources(trx));
    if (sum(counts.pickupPoints) > 0) onRows(await applyPickupPoints(trx));
    await applyChanges(trx, counts, onRows);
  };
  // Calls findSoldChanges before `write`: the names of the changed fields come from a comparison of the stored with the staged values.
  await enqueueDepartureEvents(trx, () => findSoldChanges(trx), write).catch(refuseOverlap);
  if (changedTrips.length > 0) await followTrips(trx, staged, changedTrips, touched);
  await storeDigests(trx, staged.prune);
  return report;
}

/**
 * Checks that the sold trips still fit after the changes, and drops the cached seats of the tours that shared a resource with a changed
 * departure before or share one now.
 * @throws CatalogRefusedError
 * @rule which uses and resources of a file are refused: test/catalog/resources.long.test.ts
 */
async function followTrips(
  trx: Trx,
  { stage, total, issues, prune }: StagedImport,
  departureIds: string[],
  touchedBefore: string[],
): Promise<void> {
  try {
    await assertTripsFit(trx, departureIds);
  } catch (error) {
    if (!(error instanceof ResourceBusyError)) throw error;
    issues.add(await findBusyIssues(stage, error));
    throw new CatalogRefusedError((await reportChanges(stage, total, issues, prune)).report);
  }
  const own = await findToursOf(trx, departureIds);
  await reviseTours(trx, [...own, ...touchedBefore, ...(await findTouchedTours(trx, departureIds))]);
}

/** Stores the digests of an import without changes, so that the next import skips these entries. Waits for no lock. */
async function writeDigests(trx: Trx, { stage, prune }: ComparedImport): Promise<void> {
  await allowLongStatements(trx);
  if (!(await claimImport(trx))) return;
  const copy = await copyChanges(stage, trx);
  await storeDigests(trx, prune);
  await closeStage(copy);
}

/**
 * Compares and writes a small catalog in one transaction, under the locks of all its departures.
 * @throws CatalogRefusedError, CatalogChangedError, ImportRunningError, CatalogBusyError, EarlierReleaseRunsError
 */
export async function importCatalog(
  trx: Trx,
  records: CatalogRecord[],
  { prune }: { prune: boolean },
): Promise<ImportReport> {
  const stage = await openStage(trx);
  const issues = createIssueList([]);
  const total = await stageRecords(stage, [records], issues);
  const staged = { stage, total, issues, prune, rows: 0 };
  const report = await writeStaged(trx, staged, () => {});
  await closeStage(stage);
  return report;
}
