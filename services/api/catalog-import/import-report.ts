import type { ChangeInCatalog } from './diff-tour';
import type { Fault } from './fault';
import type { PastDepartures } from './past-departures';
import { type BookingsToTell, type Counts, noCounts } from './import-plan';

/** What an import did, or in a dry run would do, in wire names (CONTRACT section 6); beside a fault, nothing. */
export interface ImportReport {
  tours: Counts;
  departures: Counts;
  errors: Fault[];
  /** Only where there are more than are listed: how many they are in all. */
  errors_total?: number;
  /** With --prune only. */
  pruned?: Pruned;
  /** Only where the import cancels departures that have standing bookings. */
  bookings_to_tell?: { tour: string; departure_date: string; booking_refs: string[] }[];
  /** Only where the import creates departures whose date is over. */
  past_departures?: PastDepartures;
  /** In a dry run: what would change, tour by tour. */
  changes?: ChangeInCatalog[];
  /** Only where more tours would change than are listed: how many more. */
  changes_left_out?: number;
}

export interface Pruned {
  tours_archived: number;
  departures_deleted: number;
  departures_cancelled: number;
}

export function reportRefusal(errors: Fault[], total: number, prune: boolean): ImportReport {
  const report: ImportReport = { tours: noCounts(), departures: noCounts(), errors };
  if (total > errors.length) report.errors_total = total;
  if (prune) report.pruned = { tours_archived: 0, departures_deleted: 0, departures_cancelled: 0 };
  return report;
}

/** @param pruned undefined: that was not asked for */
export function reportImport(
  { tours, departures }: { tours: Counts; departures: Counts },
  pruned: Pruned | undefined,
  toTell: BookingsToTell[],
): ImportReport {
  const report: ImportReport = { tours, departures, errors: [] };
  if (pruned) report.pruned = pruned;
  if (toTell.length > 0) {
    report.bookings_to_tell = toTell.map(({ tour, departureDate, bookingRefs }) => ({
      tour,
      departure_date: departureDate,
      booking_refs: bookingRefs,
    }));
  }
  return report;
}
