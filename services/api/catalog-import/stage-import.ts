import type { Db } from '../../platform/database';
import { findOtherTours } from './catalog-read.repository';
import type { CheckedTours } from './check-catalog';
import { diffTour } from './diff-tour';
import { findUnchanged } from './digest-tours';
import type { FaultList } from './fault-list';
import { gather, type Gathered, gatherUnchanged, keepDiff, nothingGathered } from './gathered-import';
import type { Counts, TourChange } from './import-plan';
import { type ImportReport, reportImport, reportRefusal } from './import-report';
import { createPastCheck, type PastCheck } from './past-departures';
import { createZoneCheck, planTours } from './plan-import';
import { isChange } from './plan-tour';
import type { Removals } from './removals';
import type { TourInFile } from './tour-in-file';
import { rememberPlanned, rememberUnchanged } from './remember-tours';
import {
  type Stage,
  stageArchived,
  stageChanges,
  type StagedTourImport,
  stageTourImports,
} from './stage.repository';
import { findSeen } from './tour-imports.repository';

/** An import that was compared with the database: what it would do, and, unless it is refused or a dry run, the staged rows of that. */
export interface StagedImport {
  /** With faults where it is refused. */
  report: ImportReport;
  hasChanges: boolean;
  /** Tours of which the next import can be told that they are as its files have them. */
  remembered: number;
  prune: boolean;
  /** With prune: what the person must have agreed to. */
  removals: Removals;
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
  const past = createPastCheck(db);
  for await (const { tours, timeZones, known = [] } of ahead(chunks)) {
    faults.add(await checkZones(timeZones));
    for (const tour of known) gatherUnchanged(gathered, tour.slug, tour.departures);
    const { changes, imports } = await compareTours({ db, gathered, faults, past }, tours, options);
    if (options.dryRun || faults.count() > 0) continue;
    gathered.rows += await stageChanges(stage, changes);
    await stageTourImports(stage, imports);
    gathered.remembered += imports.length;
  }
  if (options.prune && gathered.haveTours) await archiveOthers(db, stage, gathered, options);
  return summarize(gathered, stage, faults, options, past);
}

interface Comparison {
  db: Db;
  gathered: Gathered;
  faults: FaultList;
  past: PastCheck;
}

interface Compared {
  changes: TourChange[];
  imports: StagedTourImport[];
}

async function compareTours(
  { db, gathered, faults, past }: Comparison,
  tours: TourInFile[],
  { prune, dryRun }: StageOptions,
): Promise<Compared> {
  const compared: Compared = { changes: [], imports: [] };
  if (tours.length === 0) return compared;
  const seen = await findSeen(db, slugsToRemember(tours));
  const unchanged = await findUnchanged(db, tours, prune);
  for (const file of unchanged) {
    gatherUnchanged(gathered, file.slug, file.departures?.length ?? 0);
    compared.imports.push(...rememberUnchanged(file, seen.get(file.slug), prune));
  }
  const others = tours.filter((file) => !unchanged.has(file));
  const planned = await planTours(db, others, prune);
  await past.add(planned.map(({ planned: { change }, stored }) => ({ change, stored })));
  for (const { planned: plan, stored } of planned) {
    const { change } = plan;
    faults.add(plan.faults);
    gather(gathered, plan);
    compared.imports.push(...rememberPlanned(change, stored, seen.get(change.file.slug), prune));
    if (!isChange(change)) continue;
    compared.changes.push(change);
    if (dryRun) keepDiff(gathered, () => diffTour(change, stored));
  }
  return compared;
}

function slugsToRemember(tours: TourInFile[]): string[] {
  return tours.filter(({ digest, faulty }) => digest !== undefined && !faulty).map(({ slug }) => slug);
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

async function archiveOthers(
  db: Db,
  stage: Stage,
  gathered: Gathered,
  { dryRun }: StageOptions,
): Promise<void> {
  const others = await findOtherTours(db, gathered.slugs);
  gathered.pruned.tours_archived = others.length;
  gathered.rows += others.length;
  for (const { slug } of others) gathered.removals.add(`archive ${slug}`);
  for (const { slug } of others) keepDiff(gathered, () => ({ tour: slug, change: 'archived' }));
  if (!dryRun) await stageArchived(stage, others);
}

function summarize(
  gathered: Gathered,
  stage: Stage,
  faults: FaultList,
  { prune, dryRun }: StageOptions,
  past: PastCheck,
): StagedImport {
  const { tours, departures, pruned, toTell, changed, changes, rows, remembered } = gathered;
  const all = (counts: Counts) => counts.created + counts.updated + counts.unchanged;
  const removals = gathered.removals.close();
  const sizes = { tours: all(tours), departures: all(departures), removals };
  if (faults.count() > 0) {
    const report = reportRefusal(faults.listed(), faults.count(), prune);
    return { report, hasChanges: false, prune, ...sizes, rows: 0, remembered: 0, stage, faults };
  }
  const report = reportImport({ tours, departures }, prune ? pruned : undefined, toTell);
  const pastDepartures = past.found();
  if (pastDepartures) report.past_departures = pastDepartures;
  if (dryRun) {
    report.changes = changes;
    if (changed > changes.length) report.changes_left_out = changed - changes.length;
  }
  return { report, hasChanges: rows > 0, prune, ...sizes, rows, remembered, stage, faults };
}
