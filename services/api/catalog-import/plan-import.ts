import type { Db } from '../../platform/database';
import {
  findDeparturesOfTours,
  findDepartureUse,
  findToursBySlugs,
  findToursInUse,
  findUnknownTimeZones,
  type StoredDepartureRow,
} from './catalog-read.repository';
import type { CheckedTours } from './check-catalog';
import { type Fault, faultAt } from './fault';
import { type PlannedTour, planTour, type StoredTour } from './plan-tour';
import type { TourInFile } from './tour-in-file';

/**
 * Compares some tours with the database and says what would be written of each. Takes no lock, so `writeImport` makes sure
 * that nothing has changed since.
 * @param prune remove (or, where somebody refers to them, cancel) the departures that are missing from a tour's list
 */
export async function planTours(
  db: Db,
  tours: TourInFile[],
  prune: boolean,
): Promise<{ planned: PlannedTour; stored: StoredTour }[]> {
  if (tours.length === 0) return [];
  const storedOf = await readStored(db, tours, prune);
  return tours.map((file) => {
    const stored = storedOf(file);
    return { planned: planTour(file, stored, prune), stored };
  });
}

async function readStored(
  db: Db,
  files: TourInFile[],
  prune: boolean,
): Promise<(file: TourInFile) => StoredTour> {
  const slugs = files.map((file) => file.slug);
  const bySlug = new Map((await findToursBySlugs(db, slugs)).map((tour) => [tour.slug, tour]));
  if (bySlug.size === 0) return () => NOT_STORED;
  const isRepriced = ({ slug, sound }: TourInFile) =>
    sound?.currency !== undefined && sound.currency !== bySlug.get(slug)?.currency;
  const idsOf = (some: TourInFile[]) => some.flatMap((file) => bySlug.get(file.slug)?.id ?? []);
  const read = idsOf(files.filter((file) => file.departures !== undefined || isRepriced(file)));
  const byTour = await findDeparturesOfTours(db, read);
  const departuresOf = (file: TourInFile) => byTour.get(bySlug.get(file.slug)?.id ?? '') ?? [];
  const use = await findDepartureUse(
    db,
    files.flatMap((file) => endangered(file, departuresOf(file), prune)),
  );
  const repriced = idsOf(files.filter(isRepriced));
  const inUse = repriced.length > 0 ? await findToursInUse(db, repriced) : new Set();
  return (file) => {
    const tour = bySlug.get(file.slug);
    return { tour, departures: departuresOf(file), inUse: tour !== undefined && inUse.has(tour.id), use };
  };
}

const NOT_STORED: StoredTour = { tour: undefined, departures: [], inUse: false, use: new Map() };

/** The departures whose holds and bookings matter: most departures of a file lose neither a seat nor their status. */
function endangered(file: TourInFile, stored: StoredDepartureRow[], prune: boolean): string[] {
  if (!file.departures || stored.length === 0) return [];
  const given = new Map(file.departures.map(({ sound }) => [sound.departure_date, sound]));
  const isEndangered = (departure: StoredDepartureRow) => {
    const sound = given.get(departure.departure_date);
    if (!sound) return prune;
    const isCancelled = sound.status === 'cancelled' && departure.status !== 'cancelled';
    return Number(sound.seats_total) < departure.seats_total || isCancelled;
  };
  return stored.filter(isEndangered).map((departure) => departure.id);
}

/** Asks the database once for each name, whatever the number of tours. */
export function createZoneCheck(db: Db): (timeZones: CheckedTours['timeZones']) => Promise<Fault[]> {
  const known = new Map<string, boolean>();
  const message = 'must be an IANA time zone that the database knows, such as Europe/Berlin';
  return async (timeZones) => {
    const asked = [...new Set(timeZones.map(({ name }) => name))].filter((name) => !known.has(name));
    const unknown = asked.length > 0 ? await findUnknownTimeZones(db, asked) : [];
    for (const name of asked) known.set(name, !unknown.includes(name));
    return timeZones
      .filter(({ name }) => !known.get(name))
      .map(({ place }) => faultAt(place, '.time_zone', message));
  };
}
