import type { CatalogRecord } from './catalog-record';
import { checkTogether, checkTour, type Entry } from './check-tour';
import type { Fault, Place } from './fault';
import type { KnownTour } from './known-tour';
import type { TourInFile } from './tour-in-file';

/** Some tours of catalog files, checked as far as files alone can be. */
export interface CheckedTours {
  tours: TourInFile[];
  /** Where the files name which; of tours at fault too. */
  timeZones: { place: Place; name: string }[];
  /** Tours that were neither read nor checked, since they are known to be stored as the files have them. */
  known?: KnownTour[];
}

/** A whole catalog that is small and at hand. */
export interface Catalog extends CheckedTours {
  faults: Fault[];
}

export function checkCatalog(records: CatalogRecord[]): Catalog {
  const faults: Fault[] = [];
  const places = new Map<string, Place>();
  const entries = records.map((record) => {
    const entry = checkTour(record, places, faults);
    checkTogether(entry, faults);
    return entry;
  });
  return { ...gather(entries), faults };
}

/** Tours without a slug of their own can be compared with nothing, so they end here. */
export function gather(entries: Entry[]): CheckedTours {
  return {
    tours: entries.filter((entry): entry is TourInFile => entry.slug !== undefined),
    timeZones: entries.flatMap(({ place, sound }) =>
      sound?.time_zone ? [{ place, name: sound.time_zone }] : [],
    ),
  };
}
