import type { ChangeInCatalog } from './diff-tour';
import { addCounts, type BookingsToTell, type Counts, noCounts, type TourChange } from './import-plan';
import type { Pruned } from './import-report';
import { createRemovalList, type RemovalList } from './removals';

/** So many tours are told in a dry run: about 10 MB where each has 20 departures. */
const MOST_CHANGES = 10_000;

/** What an import adds up while it compares. */
export interface Gathered {
  tours: Counts;
  departures: Counts;
  toTell: BookingsToTell[];
  pruned: Pruned;
  removals: RemovalList;
  rows: number;
  remembered: number;
  slugs: string[];
  /** The files have tours, and not departures alone. */
  haveTours: boolean;
  changed: number;
  changes: ChangeInCatalog[];
}

export function nothingGathered(): Gathered {
  return {
    ...{
      tours: noCounts(),
      departures: noCounts(),
      toTell: [],
      rows: 0,
      remembered: 0,
      slugs: [],
      haveTours: false,
    },
    ...{ pruned: { tours_archived: 0, departures_deleted: 0, departures_cancelled: 0 } },
    ...{ changed: 0, changes: [], removals: createRemovalList() },
  };
}

export function gather(
  gathered: Gathered,
  planned: { change: TourChange; tours: Counts; departures: Counts },
): void {
  const { change } = planned;
  addCounts(gathered.tours, planned.tours);
  addCounts(gathered.departures, planned.departures);
  gathered.pruned.departures_deleted += change.deletes.length;
  gathered.pruned.departures_cancelled += change.cancels.length;
  for (const { departure_date } of change.deletes)
    gathered.removals.add(`delete ${change.file.slug} ${departure_date}`);
  for (const { departure_date } of change.cancels)
    gathered.removals.add(`cancel ${change.file.slug} ${departure_date}`);
  gathered.toTell.push(...change.toTell);
  gathered.slugs.push(change.file.slug);
  gathered.haveTours ||= change.file.fields !== undefined;
}

export function gatherUnchanged(gathered: Gathered, slug: string, departures: number): void {
  gathered.tours.unchanged++;
  gathered.departures.unchanged += departures;
  gathered.slugs.push(slug);
  gathered.haveTours = true;
}

export function keepDiff(gathered: Gathered, diff: () => ChangeInCatalog): void {
  gathered.changed++;
  if (gathered.changes.length < MOST_CHANGES) gathered.changes.push(diff());
}
