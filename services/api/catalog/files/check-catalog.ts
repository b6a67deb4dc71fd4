import type { CatalogRecord } from './catalog-record';
import { checkField, isRecord, list, optional, readParts, type Report, required } from './check';
import { amountFaults } from './check-amounts';
import { slug } from './check-text';
import { TOUR_OF_DEPARTURE } from './csv-columns';
import { type Fault, faultAt, partOf, type Place } from './fault';
import type { DepartureInFile, TourInFile } from './tour-in-file';
import { DEPARTURE, PRICES, TOUR } from './tour-shape';

/** What catalog files say, checked as far as files alone can be. */
export interface Catalog {
  tours: TourInFile[];
  /** Where the files name which; of tours at fault too. */
  timeZones: { place: Place; name: string }[];
  faults: Fault[];
}

/** A tour that cannot be told from others, for want of a slug of its own, is checked all the same. */
type Entry = Omit<TourInFile, 'slug'> & { slug?: string };

interface Checking {
  tours: Map<string, TourInFile>;
  strays: Entry[];
  faults: Fault[];
}

const MOST_DEPARTURES = 5000;
const TOUR_ENTRY = {
  ...TOUR,
  departures: optional(list<unknown>((departure) => departure ?? null, MOST_DEPARTURES)),
};

/** Puts tours and departures together, whatever files they come from, and names each fault. */
export function checkCatalog(records: CatalogRecord[]): Catalog {
  const checking: Checking = { tours: new Map(), strays: [], faults: [] };
  const { tours, strays, faults } = checking;
  for (const record of records.filter(({ isDeparture }) => !isDeparture)) addTour(checking, record);
  const ofFile = records.filter(({ isDeparture }) => isDeparture);
  // A departures file is the whole list: a tour without a line in it is given an empty one.
  if (ofFile.length > 0) for (const tour of tours.values()) tour.departures ??= [];
  for (const record of ofFile) addDeparture(checking, record);
  const entries = [...tours.values(), ...strays];
  for (const entry of entries) refuseTogether(entry, faults);
  const timeZones = entries.flatMap(({ place, sound }) => {
    return sound?.time_zone ? [{ place, name: sound.time_zone }] : [];
  });
  return { tours: [...tours.values()], timeZones, faults };
}

function addTour({ tours, strays, faults }: Checking, { place, value }: CatalogRecord): void {
  const { report, faulty } = reporterAt(place, faults);
  const { sound, whole } = readParts(TOUR_ENTRY, value, report);
  const first = sound.slug === undefined ? undefined : tours.get(sound.slug);
  if (first) report(`is the slug of a second tour; the first is at ${inWords(first.place)}`, '.slug');
  const given = isRecord(value) ? value.departures : undefined;
  const departures = Array.isArray(given)
    ? given.map((departure, index) => checkDeparture(departure, place, report, `.departures[${index}]`))
    : undefined;
  const entry = { place, fields: whole, sound, departures, faulty: faulty() };
  if (sound.slug === undefined || first) strays.push(entry);
  else tours.set(sound.slug, { slug: sound.slug, ...entry });
}

function addDeparture({ tours, faults }: Checking, { place, value }: CatalogRecord): void {
  const { [TOUR_OF_DEPARTURE]: tourSlug, ...fields } = value as Record<string, unknown>;
  const { report, faulty } = reporterAt(place, faults);
  const ownSlug = checkField(required(slug), tourSlug, (message) => report(message, `.${TOUR_OF_DEPARTURE}`));
  const departure = checkDeparture(fields, place, report, '');
  if (ownSlug === undefined) return;
  const tour: TourInFile = tours.get(ownSlug) ?? { slug: ownSlug, place, faulty: false };
  tour.departures ??= [];
  tour.departures.push(departure);
  tour.faulty ||= faulty();
  tours.set(ownSlug, tour);
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
  const given = isRecord(value) ? value.prices : undefined;
  const prices = sound.prices ?? readParts(PRICES, given, () => undefined).sound;
  return {
    place: partOf(place, part),
    fields: backwards ? undefined : whole,
    sound: { ...sound, prices },
  };
}

/** What only the tour's departures together, or they and its currency, tell. */
function refuseTogether(entry: Entry, faults: Fault[]): void {
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

function inWords({ file, line, index, field }: Place): string {
  const place = line === undefined ? `index ${index}` : `line ${line}`;
  return [file, place, field].filter((word) => word !== '').join(', ');
}
