import { type Fault, inFileOrder } from './fault';
import { type Counts, type ImportPlan, noCounts } from './import-plan';

/** What an import did, or in a dry run would do, in wire names (CONTRACT section 6); beside a fault, nothing. */
export interface ImportReport {
  tours: Counts;
  departures: Counts;
  errors: Fault[];
  /** With --prune only. */
  pruned?: { tours_archived: number; departures_deleted: number; departures_cancelled: number };
  /** Only where the import cancels departures that have standing bookings. */
  bookings_to_tell?: { tour: string; departure_date: string; booking_refs: string[] }[];
}

const NOTHING = { tours: noCounts(), departures: noCounts(), changes: [], archived: [] };

/** @param files in the order they were given, which is the order of their faults */
export function reportImport(plan: ImportPlan, files: string[]): ImportReport {
  const { tours, departures, changes, archived } = plan.faults.length > 0 ? NOTHING : plan;
  const report: ImportReport = {
    tours,
    departures,
    errors: inFileOrder(plan.faults, files),
  };
  const total = (count: (change: ImportPlan['changes'][number]) => number) =>
    changes.reduce((sum, change) => sum + count(change), 0);
  if (plan.prune) {
    report.pruned = {
      tours_archived: archived.length,
      departures_deleted: total((change) => change.deletes.length),
      departures_cancelled: total((change) => change.cancels.length),
    };
  }
  const toTell = changes.flatMap((change) => change.toTell);
  if (toTell.length > 0) {
    report.bookings_to_tell = toTell.map(({ tour, departureDate, bookingRefs }) => ({
      tour,
      departure_date: departureDate,
      booking_refs: bookingRefs,
    }));
  }
  return report;
}
