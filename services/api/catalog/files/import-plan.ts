import type { Fault } from './fault';
import type { DepartureRow, OfTour, Stored, TourRow } from './stored-rows';
import type { TourInFile } from './tour-in-file';

/** What an import would write, and what it would say. */
export interface ImportPlan {
  prune: boolean;
  faults: Fault[];
  /** Of the tours and departures that the files name. */
  tours: Counts;
  departures: Counts;
  /** Tours with something to write, themselves or in their departures. */
  changes: TourChange[];
  /** With prune: tours that the files lack, to be archived. */
  archived: { id: string; slug: string }[];
}

export interface Counts {
  created: number;
  updated: number;
  unchanged: number;
}

export function noCounts(): Counts {
  return { created: 0, updated: 0, unchanged: 0 };
}

export interface TourChange {
  file: TourInFile;
  tourId: string;
  /** The tour's whole row; undefined: it stays as it is. */
  tour?: { isNew: boolean; row: Stored<TourRow> };
  inserts: OfTour<Stored<DepartureRow>>[];
  updates: OfTour<Stored<DepartureRow>>[];
  /** With prune: departures that the file lacks and that nothing refers to. */
  deletes: OfTour<Stored<DepartureRow>>[];
  /** With prune: departures that the file lacks, and that holds or bookings name. */
  cancels: OfTour<Stored<DepartureRow>>[];
  /** Departures that this cancels, one way or the other, and their standing bookings: whom to tell. */
  toTell: { tour: string; departureDate: string; bookingRefs: string[] }[];
}
