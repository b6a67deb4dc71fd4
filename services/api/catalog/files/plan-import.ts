import type { Db } from '../../../platform/database';
import {
  findDeparturesOfTours,
  findDepartureUse,
  findOtherTours,
  findToursBySlugs,
  findToursInUse,
  findUnknownTimeZones,
} from './catalog-read.repository';
import type { Catalog } from './check-catalog';
import { type Fault, faultAt } from './fault';
import { type Counts, type ImportPlan, noCounts } from './import-plan';
import { isChange, planTour, type StoredTour } from './plan-tour';
import type { DepartureRow, Stored } from './stored-rows';
import type { TourInFile } from './tour-in-file';

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
  plan.faults = [...catalog.faults, ...plan.faults, ...(await timeZoneFaults(db, catalog.timeZones))];
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
  const isRepriced = ({ slug, sound }: TourInFile) =>
    sound?.currency !== undefined && sound.currency !== bySlug.get(slug)?.currency;
  const idsOf = (some: TourInFile[]) => some.flatMap((file) => bySlug.get(file.slug)?.id ?? []);
  const departures = await findDeparturesOfTours(
    db,
    idsOf(files.filter((file) => file.departures !== undefined || isRepriced(file))),
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
  const given = new Map(file.departures.map(({ sound }) => [sound.departure_date, sound]));
  const isEndangered = (departure: Stored<DepartureRow>) => {
    const sound = given.get(departure.departure_date);
    if (!sound) return prune;
    return Number(sound.seats_total) < departure.seats_total || sound.status === 'cancelled';
  };
  return stored.filter(isEndangered).map((departure) => departure.id);
}

async function timeZoneFaults(db: Db, timeZones: Catalog['timeZones']): Promise<Fault[]> {
  const names = new Set(timeZones.map(({ name }) => name));
  const unknown = new Set(names.size > 0 ? await findUnknownTimeZones(db, [...names]) : []);
  const message = 'must be an IANA time zone that the database knows, such as Europe/Berlin';
  return timeZones
    .filter(({ name }) => unknown.has(name))
    .map(({ place }) => faultAt(place, '.time_zone', message));
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

function add(total: Counts, more: Counts): void {
  total.created += more.created;
  total.updated += more.updated;
  total.unchanged += more.unchanged;
}
