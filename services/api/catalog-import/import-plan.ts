import type { StoredDepartureRow } from './catalog-read.repository';
import type { DepartureRow, OfTour, Stored, TourRow } from './stored-rows';
import type { TourInFile } from './tour-in-file';

export interface Counts {
  created: number;
  updated: number;
  unchanged: number;
}

export function noCounts(): Counts {
  return { created: 0, updated: 0, unchanged: 0 };
}

/** What an import would write of one tour. */
export interface TourChange {
  file: TourInFile;
  tourId: string;
  /** Of the stored row; undefined: the tour is new. */
  version?: string;
  /** Holds and bookings had a say, and they may be others by the time it is written. */
  recheck: boolean;
  /** The tour's whole row; undefined: it stays as it is. */
  tour?: { isNew: boolean; row: Stored<TourRow> };
  inserts: OfTour<Stored<DepartureRow>>[];
  updates: StoredDepartureRow[];
  /** With prune: departures that the file lacks and that nothing refers to. */
  deletes: StoredDepartureRow[];
  /** With prune: departures that the file lacks, and that holds or bookings name. */
  cancels: StoredDepartureRow[];
  /** Departures that this cancels, one way or the other, and their standing bookings: whom to tell. */
  toTell: BookingsToTell[];
}

export interface BookingsToTell {
  tour: string;
  departureDate: string;
  bookingRefs: string[];
}

export function addCounts(total: Counts, more: Counts): void {
  total.created += more.created;
  total.updated += more.updated;
  total.unchanged += more.unchanged;
}
