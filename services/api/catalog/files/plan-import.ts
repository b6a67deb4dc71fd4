import type { Db } from '../../../platform/database';
import {
  findDeparturesOfTours,
  findDepartureUse,
  findOtherTours,
  findToursBySlugs,
  findToursInUse,
  findUnknownTimeZones,
} from './catalog-read.repository';
import type { Catalog, TourInFile } from './check-catalog';
import { faultAt } from './fault';
import type { Counts, ImportPlan } from './import-plan';
import { isChange, planTour, type StoredTour } from './plan-tour';
import type { DepartureRow, Stored } from './stored-rows';

const TOURS_A_CHUNK = 200;

/**
 * Compares a catalog with the database and says what would be written. Takes no lock, so `writeImport` compares what
 * changes once more.
 * @param prune archive the tours that the files lack, and remove (or, where somebody refers to them, cancel) the
 * departures that are missing from a tour's list
 */
export async function planImport(
  db: Db,
  catalog: Catalog,
  { prune }: { prune: boolean },
): Promise<ImportPlan> {
  const plan = await planTours(db, catalog.tours, prune);
  plan.faults.unshift(...catalog.faults);
  plan.faults.push(...(await timeZoneFaults(db, catalog.tours)));
  // Files of departures alone are not the list of tours.
  if (prune && catalog.tours.some((tour) => tour.fields)) {
    plan.archived = await findOtherTours(
      db,
      catalog.tours.map((tour) => tour.slug),
    );
  }
  return plan;
}

/** The same for some tours alone; what they are beside is left as it is. */
export async function planTours(db: Db, tours: TourInFile[], prune: boolean): Promise<ImportPlan> {
  const plan: ImportPlan = {
    prune,
    faults: [],
    tours: noCounts(),
    departures: noCounts(),
    changes: [],
    archived: [],
  };
  for (let start = 0; start < tours.length; start += TOURS_A_CHUNK) {
    const chunk = tours.slice(start, start + TOURS_A_CHUNK);
    const stored = await readStored(db, chunk, prune);
    for (const file of chunk) {
      const planned = planTour(file, stored(file), prune);
      plan.faults.push(...planned.faults);
      add(plan.tours, planned.tours);
      add(plan.departures, planned.departures);
      if (isChange(planned.change)) plan.changes.push(planned.change);
    }
  }
  return plan;
}

async function readStored(
  db: Db,
  files: TourInFile[],
  prune: boolean,
): Promise<(file: TourInFile) => StoredTour> {
  const slugs = files.map((file) => file.slug);
  const bySlug = new Map((await findToursBySlugs(db, slugs)).map((tour) => [tour.slug, tour]));
  const isRepriced = (file: TourInFile) =>
    file.fields && file.fields.currency !== bySlug.get(file.slug)?.currency;
  const idsOf = (some: TourInFile[]) => some.flatMap((file) => bySlug.get(file.slug)?.id ?? []);
  const departures = await findDeparturesOfTours(
    db,
    idsOf(files.filter((file) => file.departures ?? isRepriced(file))),
  );
  const ofTour = groupByTour(departures);
  const byTour = new Map(files.map((file) => [file, ofTour.get(bySlug.get(file.slug)?.id ?? '') ?? []]));
  const use = await findDepartureUse(
    db,
    files.flatMap((file) => endangered(file, byTour.get(file)!, prune)),
  );
  const inUse = await findToursInUse(db, idsOf(files.filter(isRepriced)));
  return (file) => {
    const tour = bySlug.get(file.slug);
    return { tour, departures: byTour.get(file)!, inUse: tour !== undefined && inUse.has(tour.id), use };
  };
}

/** The departures whose holds and bookings matter: most departures of a file lose neither a seat nor their status. */
function endangered(file: TourInFile, stored: Stored<DepartureRow>[], prune: boolean): string[] {
  if (!file.departures) return [];
  const given = new Map(file.departures.map(({ fields }) => [fields.departure_date, fields]));
  const isEndangered = (departure: Stored<DepartureRow>) => {
    const fields = given.get(departure.departure_date);
    if (!fields) return prune;
    return fields.seats_total < departure.seats_total || fields.status === 'cancelled';
  };
  return stored.filter(isEndangered).map((departure) => departure.id);
}

async function timeZoneFaults(db: Db, tours: TourInFile[]) {
  const zones = new Set(tours.flatMap((tour) => tour.fields?.time_zone ?? []));
  const unknown = new Set(zones.size > 0 ? await findUnknownTimeZones(db, [...zones]) : []);
  const concerned = tours.filter((tour) => tour.fields?.time_zone && unknown.has(tour.fields.time_zone));
  return concerned.map((tour) =>
    faultAt(
      tour.place,
      '.time_zone',
      'must be an IANA time zone that the database knows, such as Europe/Berlin',
    ),
  );
}

function groupByTour<D extends { tour_id: string }>(departures: D[]): Map<string, D[]> {
  const groups = new Map<string, D[]>();
  for (const departure of departures) {
    const group = groups.get(departure.tour_id);
    if (group) group.push(departure);
    else groups.set(departure.tour_id, [departure]);
  }
  return groups;
}

function noCounts(): Counts {
  return { created: 0, updated: 0, unchanged: 0 };
}

function add(total: Counts, more: Counts): void {
  total.created += more.created;
  total.updated += more.updated;
  total.unchanged += more.unchanged;
}
