import type { Db } from '../../../platform/database';
import { findOtherTours } from './catalog-read.repository';
import type { CheckedTours } from './check-catalog';
import { type ChangeInCatalog, diffTour } from './diff-tour';
import { findUnchanged } from './digest-tours';
import type { FaultList } from './fault-list';
import { addCounts, type BookingsToTell, type Counts, noCounts, type TourChange } from './import-plan';
import { type ImportReport, type Pruned, reportImport, reportRefusal } from './import-report';
import { createZoneCheck, planTours } from './plan-import';
import { isChange } from './plan-tour';
import type { TourInFile } from './tour-in-file';
import { type Stage, stageArchived, stageChanges } from './stage.repository';

/** An import that was compared with the database: what it would do, and, unless it is refused or a dry run, the staged rows of that. */
export interface StagedImport {
  /** With faults where it is refused. */
  report: ImportReport;
  hasChanges: boolean;
  prune: boolean;
  /** Tours and departures of the files, whatever becomes of them. */
  tours: number;
  departures: number;
  /** Rows to be written. */
  rows: number;
  stage: Stage;
  /** Empty where it is not refused; what comes up while it writes goes there too. */
  faults: FaultList;
}

export interface StageOptions {
  /** Archive the tours that the files lack, and remove (or cancel) the departures that are missing from a tour's list. */
  prune: boolean;
  /** Tell what would change, and stage nothing. */
  dryRun?: boolean;
}

/** So many tours are told in a dry run: about 10 MB where each has 20 departures. */
const MOST_CHANGES = 10_000;

interface Gathered {
  tours: Counts;
  departures: Counts;
  toTell: BookingsToTell[];
  pruned: Pruned;
  rows: number;
  slugs: string[];
  /** The files have tours, and not departures alone. */
  haveTours: boolean;
  changed: number;
  changes: ChangeInCatalog[];
}

/**
 * Compares a catalog with the database, a chunk at a time, and stages what is to be written. Takes no lock.
 */
export async function stageImport(
  db: Db,
  stage: Stage,
  chunks: AsyncIterable<CheckedTours>,
  faults: FaultList,
  options: StageOptions,
): Promise<StagedImport> {
  const gathered = nothingGathered();
  const checkZones = createZoneCheck(db);
  for await (const { tours, timeZones } of ahead(chunks)) {
    faults.add(await checkZones(timeZones));
    const changes: TourChange[] = [];
    const unchanged = await findUnchanged(db, tours, options.prune);
    for (const file of unchanged) gatherUnchanged(gathered, file);
    const others = tours.filter((file) => !unchanged.has(file));
    for (const { planned, stored } of await planTours(db, others, options.prune)) {
      faults.add(planned.faults);
      gather(gathered, planned);
      if (!isChange(planned.change)) continue;
      changes.push(planned.change);
      if (options.dryRun) keepDiff(gathered, () => diffTour(planned.change, stored));
    }
    if (options.dryRun || faults.count() > 0) continue;
    gathered.rows += await stageChanges(stage, changes);
  }
  if (options.prune && gathered.haveTours) await archiveOthers(db, stage, gathered, options);
  return summarize(gathered, stage, faults, options);
}

/** The next chunk is read and checked while the database answers for this one: it has a processor of its own. */
async function* ahead<T>(chunks: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = chunks[Symbol.asyncIterator]() as AsyncIterator<T, undefined>;
  const next = () => {
    const coming = iterator.next();
    // Whoever awaits it hears of the failure; until then nobody does.
    coming.catch(() => undefined);
    return coming;
  };
  let coming = next();
  for (;;) {
    const chunk = await coming;
    if (chunk.done) return;
    coming = next();
    yield chunk.value;
  }
}

function nothingGathered(): Gathered {
  return {
    ...{ tours: noCounts(), departures: noCounts(), toTell: [], rows: 0, slugs: [], haveTours: false },
    ...{ pruned: { tours_archived: 0, departures_deleted: 0, departures_cancelled: 0 } },
    ...{ changed: 0, changes: [] },
  };
}

function gather(
  gathered: Gathered,
  planned: { change: TourChange; tours: Counts; departures: Counts },
): void {
  const { change } = planned;
  addCounts(gathered.tours, planned.tours);
  addCounts(gathered.departures, planned.departures);
  gathered.pruned.departures_deleted += change.deletes.length;
  gathered.pruned.departures_cancelled += change.cancels.length;
  gathered.toTell.push(...change.toTell);
  gathered.slugs.push(change.file.slug);
  gathered.haveTours ||= change.file.fields !== undefined;
}

function gatherUnchanged(gathered: Gathered, file: TourInFile): void {
  gathered.tours.unchanged++;
  gathered.departures.unchanged += file.departures?.length ?? 0;
  gathered.slugs.push(file.slug);
  gathered.haveTours = true;
}

function keepDiff(gathered: Gathered, diff: () => ChangeInCatalog): void {
  gathered.changed++;
  if (gathered.changes.length < MOST_CHANGES) gathered.changes.push(diff());
}

async function archiveOthers(
  db: Db,
  stage: Stage,
  gathered: Gathered,
  { dryRun }: StageOptions,
): Promise<void> {
  const others = await findOtherTours(db, gathered.slugs);
  gathered.pruned.tours_archived = others.length;
  gathered.rows += others.length;
  for (const { slug } of others) keepDiff(gathered, () => ({ tour: slug, change: 'archived' }));
  if (!dryRun) await stageArchived(stage, others);
}

function summarize(
  gathered: Gathered,
  stage: Stage,
  faults: FaultList,
  { prune, dryRun }: StageOptions,
): StagedImport {
  const { tours, departures, pruned, toTell, changed, changes, rows } = gathered;
  const all = (counts: Counts) => counts.created + counts.updated + counts.unchanged;
  const sizes = { tours: all(tours), departures: all(departures) };
  if (faults.count() > 0) {
    const report = reportRefusal(faults.listed(), faults.count(), prune);
    return { report, hasChanges: false, prune, ...sizes, rows: 0, stage, faults };
  }
  const report = reportImport({ tours, departures }, prune ? pruned : undefined, toTell);
  if (dryRun) {
    report.changes = changes;
    if (changed > changes.length) report.changes_left_out = changed - changes.length;
  }
  return { report, hasChanges: rows > 0, prune, ...sizes, rows, stage, faults };
}
