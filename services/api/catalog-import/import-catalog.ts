import { type Db, inTransaction, refuseWhenLocked, type Trx } from '../../platform/database';
import {
  allowLongStatements,
  applyChanges,
  claimImport,
  findStagedWithExpired,
  findTakenSlug,
  lockStaged,
} from './apply.repository';
import type { CatalogRecord, WatchImport } from './catalog-file';
import { compareStaged } from './compare.repository';
import { findDiff } from './diff.repository';
import {
  CatalogBusyError,
  CatalogChangedError,
  CatalogRefusedError,
  ImportRunningError,
} from './import.errors';
import {
  type ChangeCounts,
  countChanges,
  type ImportReport,
  reportChanges,
  reportRefusal,
} from './import-report';
import { createIssueList, type IssueList } from './issue';
import { findIssues } from './issues.repository';
import { findRemovals, type Removals, stageRemovals } from './removals.repository';
import { stageFiles, type StagedFiles, stageRecords } from './stage-files';
import { analyzeStage, closeStage, copyChanges, openStage, type Stage } from './stage.repository';
import { stageDigests, storeDigests } from './unchanged-entries.repository';

export interface ImportOptions {
  /** Archive the tours that the files lack, and remove the departures that are missing from a tour's list. */
  prune: boolean;
  /** Report every change, and write nothing. */
  dryRun?: boolean;
}

/** An import that was compared with the catalog. */
export interface ComparedImport {
  /** With issues if it is refused. */
  report: ImportReport;
  hasChanges: boolean;
  prune: boolean;
  /** With --prune: the removals that the operator must confirm. */
  removals: Removals;
  /** Tours and departures of the files. */
  total: StagedFiles;
  /** Number of rows to be written. */
  rows: number;
  stage: Stage;
  issues: IssueList;
}

/**
 * Stages catalog files and compares them with the catalog. Takes no lock. The staging tables exist until `work` ends; `work`
 * may call `writeImport`. Stores the digests of an import without changes.
 * @param db a pool with at least two connections: the staging tables keep one
 * @throws the file system's error for a file that cannot be read
 */
export async function withComparedFiles<T>(
  db: Db,
  files: string[],
  options: ImportOptions,
  watch: WatchImport,
  work: (compared: ComparedImport) => Promise<T>,
): Promise<T> {
  const stage = await openStage(db);
  try {
    const issues = createIssueList(files);
    const total = await stageFiles(stage, files, options.prune, issues, watch);
    const rows = total.tours + total.departures;
    watch({ phase: 'comparing', done: 0, of: rows });
    const digests = await stageDigests(stage);
    const compared = await compare(stage, total, issues, options);
    const done = await work(compared);
    const isEqual = compared.report.errors.length === 0 && !compared.hasChanges;
    if (!options.dryRun && isEqual && digests > 0)
      await inTransaction(db, (trx) => writeDigests(trx, compared));
    return done;
  } finally {
    await closeStage(stage);
  }
}

async function compare(
  stage: Stage,
  total: StagedFiles,
  issues: IssueList,
  { prune, dryRun }: ImportOptions,
): Promise<ComparedImport> {
  await analyzeStage(stage);
  if (prune) await stageRemovals(stage, total.tours > 0 ? total.slugs : undefined);
  await compareStaged(stage);
  issues.add(await findIssues(stage));
  const compared = {
    hasChanges: false,
    prune,
    removals: { digest: '', named: [] },
    total,
    rows: 0,
    stage,
    issues,
  };
  if (issues.count() > 0) {
    return { ...compared, report: reportRefusal(issues.listed(), issues.count(), prune) };
  }
  const counts = await countChanges(stage);
  const report = await reportChanges(stage, counts, total, prune);
  const [rows, tours] = [countRows(counts), sum(counts.tours)];
  if (dryRun) {
    report.changes = await findDiff(stage);
    if (tours > report.changes.length) report.changes_left_out = tours - report.changes.length;
  }
  return { ...compared, report, rows, hasChanges: rows > 0, removals: await findRemovals(stage) };
}

function countRows({ tours, departures }: ChangeCounts): number {
  return sum(tours) + sum(departures);
}

function sum(counts: Partial<Record<string, number>>): number {
  return Object.values(counts).reduce<number>((total, count) => total + (count ?? 0), 0);
}

/** Marks the expired holds and leads of a locked departure; relockDeparture of departures/, which this folder does not import. */
type EndExpired = (trx: Trx, departureId: string) => Promise<unknown>;

/**
 * Writes a compared import, all of it or nothing. Keep the transaction short: bookings of the departures that change wait.
 * @throws CatalogRefusedError, CatalogChangedError, ImportRunningError, CatalogBusyError
 */
export async function writeImport(
  trx: Trx,
  { stage, ...compared }: ComparedImport,
  endExpired: EndExpired,
  watch: WatchImport = () => {},
): Promise<ImportReport> {
  await allowLongStatements(trx);
  const copy = await copyChanges(stage, trx);
  const report = await writeStaged(trx, { ...compared, stage: copy }, endExpired, watch);
  await closeStage(copy);
  return report;
}

/**
 * Locks the staged tours and departures in the common lock order, and compares them again under the locks: seats may have been
 * taken since the first comparison. Then writes the changes.
 */
async function writeStaged(
  trx: Trx,
  { stage, total, prune, rows, issues }: Omit<ComparedImport, 'report' | 'hasChanges' | 'removals'>,
  endExpired: EndExpired,
  watch: WatchImport,
): Promise<ImportReport> {
  if (!(await claimImport(trx))) throw new ImportRunningError();
  await analyzeStage(stage);
  await refuseWhenLocked('import', lockStaged(trx), () => new CatalogBusyError());
  // Marks expired holds, because the import may use their seats; a clock step must not make them live again.
  for (const id of await findStagedWithExpired(trx)) await endExpired(trx, id);
  const taken = await findTakenSlug(trx);
  if (taken !== undefined) throw new CatalogChangedError(taken);
  await compareStaged(stage);
  issues.add(await findIssues(stage));
  if (issues.count() > 0)
    throw new CatalogRefusedError(reportRefusal(issues.listed(), issues.count(), prune));
  const counts = await countChanges(stage);
  const report = await reportChanges(stage, counts, total, prune);
  let done = 0;
  await applyChanges(trx, counts, (more) => watch({ phase: 'writing', done: (done += more), of: rows }));
  await storeDigests(trx, prune);
  return report;
}

/** Stores the digests of an import without changes, so that the next one skips its entries. Waits for no lock. */
async function writeDigests(trx: Trx, { stage, prune }: ComparedImport): Promise<void> {
  await allowLongStatements(trx);
  if (!(await claimImport(trx))) return;
  const copy = await copyChanges(stage, trx);
  await storeDigests(trx, prune);
  await closeStage(copy);
}

const RECORDS_A_CHUNK = 200;

/**
 * Compares and writes a small catalog in one transaction, under the locks of all its departures. Does not mark expired holds:
 * it takes no seats from stored departures.
 * @throws CatalogRefusedError, ImportRunningError, CatalogBusyError
 */
export async function importCatalog(
  trx: Trx,
  records: CatalogRecord[],
  options: { prune: boolean },
): Promise<ImportReport> {
  const stage = await openStage(trx);
  const issues = createIssueList([]);
  const total = await stageRecords(stage, inChunks(records), issues);
  const rows = total.tours + total.departures;
  const report = await writeStaged(
    trx,
    { stage, total, ...options, rows, issues },
    async () => undefined,
    () => {},
  );
  await closeStage(stage);
  return report;
}

async function* inChunks(records: CatalogRecord[]): AsyncGenerator<CatalogRecord[]> {
  for (let at = 0; at < records.length; at += RECORDS_A_CHUNK) yield records.slice(at, at + RECORDS_A_CHUNK);
}
