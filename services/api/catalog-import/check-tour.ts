import type { CatalogRecord } from './catalog-record';
import { checkField, isRecord, list, optional, readParts, type Report, required } from './check';
import { amountFaults } from './check-amounts';
import { slug } from './check-text';
import { TOUR_OF_DEPARTURE } from './csv-columns';
import { type Fault, faultAt, partOf, type Place } from './fault';
import type { DepartureInFile, TourInFile } from './tour-in-file';
import { DEPARTURE, PRICES, TOUR } from './tour-shape';

/** A tour that cannot be told from others, for want of a slug of its own, is checked all the same. */
export type Entry = Omit<TourInFile, 'slug'> & { slug?: string };

const MOST_DEPARTURES = 5000;
const TOUR_ENTRY = {
  ...TOUR,
  departures: optional(list<unknown>((departure) => departure ?? null, MOST_DEPARTURES)),
};

/** @param places of the slugs met before; a tour whose slug is among them has no slug of its own */
export function checkTour(
  { place, value, digest }: CatalogRecord,
  places: Map<string, Place>,
  faults: Fault[],
): Entry {
  const { report, faulty } = reporterAt(place, faults);
  const { sound, whole } = readParts(TOUR_ENTRY, value, report);
  const first = sound.slug === undefined ? undefined : places.get(sound.slug);
  if (first) report(`is the slug of a second tour; the first is at ${inWords(first)}`, '.slug');
  else if (sound.slug !== undefined) places.set(sound.slug, place);
  const given = isRecord(value) ? value.departures : undefined;
  const departures = Array.isArray(given)
    ? given.map((departure, index) => checkDeparture(departure, place, report, `.departures[${index}]`))
    : undefined;
  return {
    slug: first ? undefined : sound.slug,
    place,
    fields: whole,
    sound,
    departures,
    faulty: faulty(),
    digest,
  };
}

/** A line of a departures file. */
export interface DepartureLine {
  /** Undefined where it is at fault. */
  tourSlug?: string;
  departure: DepartureInFile;
  faulty: boolean;
}

export function checkDepartureLine({ place, value }: CatalogRecord, faults: Fault[]): DepartureLine {
  const { [TOUR_OF_DEPARTURE]: tour, ...fields } = value as Record<string, unknown>;
  const { report, faulty } = reporterAt(place, faults);
  const tourSlug = checkField(required(slug), tour, (message) => report(message, `.${TOUR_OF_DEPARTURE}`));
  const departure = checkDeparture(fields, place, report, '');
  return { tourSlug, departure, faulty: faulty() };
}

/** What only the tour's departures together, or they and its currency, tell; once they are all there. */
export function checkTogether(entry: Entry, faults: Fault[]): void {
  const before = faults.length;
  const seen = new Map<string, Place>();
  for (const { place, sound } of entry.departures ?? []) {
    const date = sound.departure_date;
    const first = date === undefined ? undefined : seen.get(date);
    if (first) {
      const message = `is the date of a second departure of the tour; the first is at ${inWords(first)}`;
      faults.push(faultAt(place, '.departure_date', message));
    } else if (date !== undefined) seen.set(date, place);
  }
  if (entry.sound?.currency) faults.push(...amountFaults(entry, entry.sound.currency));
  entry.faulty ||= faults.length > before;
}

function reporterAt(place: Place, faults: Fault[]): { report: Report; faulty: () => boolean } {
  const before = faults.length;
  const report: Report = (message, part = '') => {
    faults.push(faultAt(place, part, message));
    return undefined;
  };
  return { report, faulty: () => faults.length > before };
}

function checkDeparture(value: unknown, place: Place, report: Report, part: string): DepartureInFile {
  const own: Report = (message, field = '') => report(message, part + field);
  const { sound, whole } = readParts(DEPARTURE, value, own);
  const { departure_date: begin, return_date: end } = sound;
  const backwards = Boolean(begin && end && end < begin);
  if (backwards) own('must not be before departure_date', '.return_date');
  const at = part === '' ? place : partOf(place, part);
  if (whole && !backwards) return { place: at, fields: whole, sound: whole };
  const given = isRecord(value) ? value.prices : undefined;
  const prices = sound.prices ?? readParts(PRICES, given, () => undefined).sound;
  return { place: at, sound: { ...sound, prices } };
}

function inWords({ file, line, index, field }: Place): string {
  const place = line === undefined ? `index ${index}` : `line ${line}`;
  return [file, place, field].filter((word) => word !== '').join(', ');
}
