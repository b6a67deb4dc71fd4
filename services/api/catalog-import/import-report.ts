import type { TourDiff } from './diff.repository';
import type { Issue } from './issue';
import { queryStage, type Stage } from './stage.repository';

/** The result of an import or of a dry run, in wire names (CONTRACT section 6). All counts are 0 if there are issues. */
export interface ImportReport {
  tours: Counts;
  departures: Counts;
  errors: Issue[];
  /** The number of all issues, if not all are listed. */
  errors_total?: number;
  /** With --prune. */
  pruned?: Pruned;
  /** Standing bookings of the departures that the import cancels, if there are any. */
  bookings_to_tell?: { tour: string; departure_date: string; booking_refs: string[] }[];
  /** New departures whose date is over in the tour's time zone, if there are any: nobody can book them. */
  past_departures?: PastDepartures;
  /** In a dry run: the changes of each tour. */
  changes?: TourDiff[];
  /** How many more tours would change than are listed, if any. */
  changes_left_out?: number;
}

interface Counts {
  created: number;
  updated: number;
  unchanged: number;
}

interface Pruned {
  tours_archived: number;
  departures_deleted: number;
  departures_cancelled: number;
}

export interface PastDepartures {
  departures: number;
  first: { tour: string; departure_date: string };
}

/** The numbers of staged changes by action. */
export interface ChangeCounts {
  tours: Partial<Record<'insert' | 'update' | 'touch' | 'archive', number>>;
  departures: Partial<Record<'insert' | 'update' | 'delete' | 'cancel', number>>;
}

export async function countChanges(stage: Stage): Promise<ChangeCounts> {
  const count = async (table: string) => {
    const sql = `select action, count(*) from ${table} group by action`;
    const rows = await queryStage<{ action: string; count: number }>(stage, sql);
    return Object.fromEntries(rows.map(({ action, count: number }) => [action, number]));
  };
  return { tours: await count('changed_tours'), departures: await count('changed_departures') };
}

export function reportRefusal(errors: Issue[], total: number, prune: boolean): ImportReport {
  const none = { created: 0, updated: 0, unchanged: 0 };
  const report: ImportReport = { tours: none, departures: none, errors };
  if (total > errors.length) report.errors_total = total;
  if (prune) report.pruned = { tours_archived: 0, departures_deleted: 0, departures_cancelled: 0 };
  return report;
}

/**
 * Reports the staged changes, before they are written.
 * @param total tours and departures of the files
 */
export async function reportChanges(
  stage: Stage,
  { tours, departures }: ChangeCounts,
  total: { tours: number; departures: number },
  prune: boolean,
): Promise<ImportReport> {
  const counts = (of: number, created = 0, updated = 0) => ({
    created,
    updated,
    unchanged: of - created - updated,
  });
  const report: ImportReport = {
    tours: counts(total.tours, tours.insert, tours.update),
    departures: counts(total.departures, departures.insert, departures.update),
    errors: [],
  };
  if (prune) {
    report.pruned = {
      tours_archived: tours.archive ?? 0,
      departures_deleted: departures.delete ?? 0,
      departures_cancelled: departures.cancel ?? 0,
    };
  }
  const bookings = await findBookingsToTell(stage);
  if (bookings.length > 0) report.bookings_to_tell = bookings;
  const past = await findPastDepartures(stage);
  if (past) report.past_departures = past;
  return report;
}

async function findBookingsToTell(stage: Stage): Promise<NonNullable<ImportReport['bookings_to_tell']>> {
  const rows = await queryStage<{ tour: string; departureDate: string; bookingRefs: string[] }>(
    stage,
    `with clock as materialized (select clock_timestamp() as at)
     select t.slug as tour, c.departure_date as "departureDate",
            array_agg(l.booking_ref order by l.id) as "bookingRefs"
     from clock, changed_departures c
     join departures d on d.id = c.id join tours t on t.id = d.tour_id
     join booking_leads l on l.departure_id = d.id
     where c.action in ('update', 'cancel') and c.status = 'cancelled' and d.status <> 'cancelled'
       and l.status in ('pending_payment', 'confirmed') and lead_stands(l.status, l.payment_due_at, clock.at)
     group by c.entry, t.slug, c.departure_date order by c.entry, c.departure_date`,
  );
  return rows.map(({ tour, departureDate, bookingRefs }) => ({
    tour,
    departure_date: departureDate,
    booking_refs: bookingRefs,
  }));
}

async function findPastDepartures(stage: Stage): Promise<PastDepartures | undefined> {
  const [row] = await queryStage<{ departures: number; tour: string; departureDate: string }>(
    stage,
    `with clock as materialized (select clock_timestamp() as at)
     select count(*) over () as departures, t.slug as tour, c.departure_date as "departureDate"
     from clock, changed_departures c join changed_tours t on t.entry = c.entry
     where c.action = 'insert' and c.departure_date < tour_today(t.time_zone, clock.at)
     order by c.entry, c.departure_date limit 1`,
  );
  return row && { departures: row.departures, first: { tour: row.tour, departure_date: row.departureDate } };
}
