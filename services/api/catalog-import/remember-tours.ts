import type { TourChange } from './import-plan';
import type { StoredTour } from './plan-tour';
import type { StagedTourImport } from './stage.repository';
import type { TourInFile } from './tour-in-file';
import type { SeenOfTour } from './tour-imports.repository';

/** Of a tour that is stored, with all its departures, as the file has it. */
export function rememberUnchanged(
  file: TourInFile,
  seen: SeenOfTour | undefined,
  prune: boolean,
): StagedTourImport[] {
  return seen ? remember(file, seen, prune) : [];
}

/**
 * Of a tour that was compared field by field: what it will be once the change, if there is one, is written.
 * @param seen before that; undefined: it was not stored
 */
export function rememberPlanned(
  change: TourChange,
  stored: StoredTour,
  seen: SeenOfTour | undefined,
  prune: boolean,
): StagedTourImport[] {
  const { file, tourId, inserts, deletes } = change;
  // Somebody made the tour in between, or another one of that slug.
  if (seen?.tour_id !== stored.tour?.id) return [];
  // A departure that was left standing may be one to delete by the time of the next import.
  const left = stored.departures.length + inserts.length - deletes.length;
  const nothingLeft = !file.departures || left === file.departures.length;
  const exact = nothingLeft && (prune || !stored.tour);
  return remember(file, seen ?? { tour_id: tourId, stamp: null, edits: '{}' }, exact);
}

function remember(file: TourInFile, seen: SeenOfTour, exact: boolean): StagedTourImport[] {
  const { digest, faulty, departures } = file;
  if (digest === undefined || faulty) return [];
  return [{ ...seen, digest, exact, departures: departures?.length ?? 0 }];
}
