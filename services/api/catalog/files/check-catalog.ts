import type { CatalogRecord } from './catalog-record';
import { checkField, isRecord, list, object, optional, type Report, required } from './check';
import { slug } from './check-text';
import { TOUR_OF_DEPARTURE } from './csv-columns';
import { type Fault, faultAt, partOf, type Place } from './fault';
import { DEPARTURE, type DepartureFields, TOUR, type TourFields } from './tour-shape';

/** What catalog files say, checked as far as files alone can be. */
export interface Catalog {
  tours: TourInFile[];
  faults: Fault[];
}

export interface TourInFile {
  slug: string;
  place: Place;
  /** Undefined where only departures are given, or where the tour's own fields are at fault. */
  fields?: TourFields;
  /** Undefined: left out. */
  departures?: DepartureInFile[];
  /** Nothing will be written, but what else is wrong with it is still told. */
  faulty: boolean;
}

export interface DepartureInFile {
  place: Place;
  fields: DepartureFields;
}

const MOST_DEPARTURES = 5000;
const departureFields = object(DEPARTURE);
const tourFields = object({
  ...TOUR,
  departures: optional(list<unknown>((departure) => departure ?? null, MOST_DEPARTURES)),
});

/** Puts tours and departures together, whatever files they come from, and names each fault. */
export function checkCatalog(records: CatalogRecord[]): Catalog {
  const faults: Fault[] = [];
  const tours = new Map<string, TourInFile>();
  for (const record of records.filter(({ isDeparture }) => !isDeparture)) addTour(tours, faults, record);
  const ofFile = records.filter(({ isDeparture }) => isDeparture);
  // A departures file is the whole list: a tour without a line in it is given an empty one.
  if (ofFile.length > 0) for (const tour of tours.values()) tour.departures ??= [];
  for (const record of ofFile) addDeparture(tours, faults, record);
  for (const tour of tours.values()) refuseSecondDates(tour, faults);
  return { tours: [...tours.values()], faults };
}

function addTour(tours: Map<string, TourInFile>, faults: Fault[], { place, value }: CatalogRecord): void {
  const reporter = reporterAt(place, faults);
  const fields = tourFields(value, reporter.report);
  const ownSlug = isRecord(value) ? slug(value.slug, () => undefined) : undefined;
  if (ownSlug === undefined) return;
  const first = tours.get(ownSlug);
  if (first) {
    reporter.report(`is the slug of a second tour; the first is at ${inWords(first.place)}`, '.slug');
    return;
  }
  const given = (value as { departures?: unknown }).departures;
  const departures = Array.isArray(given)
    ? given.flatMap((departure, index) =>
        checkDeparture(departure, place, reporter.report, `.departures[${index}]`),
      )
    : undefined;
  tours.set(ownSlug, { slug: ownSlug, place, fields, departures, faulty: reporter.faulty() });
}

function addDeparture(
  tours: Map<string, TourInFile>,
  faults: Fault[],
  { place, value }: CatalogRecord,
): void {
  const { [TOUR_OF_DEPARTURE]: tourSlug, ...fields } = value as Record<string, unknown>;
  const { report, faulty } = reporterAt(place, faults);
  const ownSlug = checkField(required(slug), tourSlug, (message) => report(message, `.${TOUR_OF_DEPARTURE}`));
  const departures = checkDeparture(fields, place, report, '');
  if (ownSlug === undefined) return;
  const tour: TourInFile = tours.get(ownSlug) ?? { slug: ownSlug, place, departures: [], faulty: false };
  tour.departures = [...(tour.departures ?? []), ...departures];
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

function checkDeparture(value: unknown, place: Place, report: Report, part: string): DepartureInFile[] {
  const fields = departureFields(value, (message, field = '') => report(message, part + field));
  if (!fields) return [];
  if (fields.return_date && fields.return_date < fields.departure_date) {
    report('must not be before departure_date', `${part}.return_date`);
    return [];
  }
  return [{ place: partOf(place, part), fields }];
}

function refuseSecondDates(tour: TourInFile, faults: Fault[]): void {
  const seen = new Map<string, Place>();
  for (const { place, fields } of tour.departures ?? []) {
    const first = seen.get(fields.departure_date);
    if (first) {
      faults.push(
        faultAt(
          place,
          '.departure_date',
          `is a second departure of ${tour.slug} on that date; the first is at ${inWords(first)}`,
        ),
      );
      tour.faulty = true;
    } else seen.set(fields.departure_date, place);
  }
}

function inWords({ file, line, index, field }: Place): string {
  const place = line === undefined ? `index ${index}` : `line ${line}`;
  return [file, place, field].filter((word) => word !== '').join(', ');
}
