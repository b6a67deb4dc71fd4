import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { currencyDigits } from '../pricing/currency';
import type { DepartureUse, StoredDepartureRow, StoredTourRow } from './catalog-read.repository';
import { amountFaults } from './check-amounts';
import { type Fault, faultAt } from './fault';
import { type Counts, noCounts, type TourChange } from './import-plan';
import { mergeDeparture, mergeTour } from './merge-rows';
import type { DepartureRow, Stored } from './stored-rows';
import type { TourInFile } from './tour-in-file';

/** What the database holds of one tour of the files. */
export interface StoredTour {
  tour: StoredTourRow | undefined;
  /** Of a tour whose departures the file speaks of, or whose currency it changes; else empty. */
  departures: StoredDepartureRow[];
  inUse: boolean;
  /** Of stored departures that lose seats or are cancelled. */
  use: Map<string, DepartureUse>;
}

export interface PlannedTour {
  change: TourChange;
  tours: Counts;
  departures: Counts;
  faults: Fault[];
}

/**
 * Compares one tour of the files with what is stored. Reads and writes nothing else. Of a tour at fault it only tells what
 * else is wrong.
 */
export function planTour(file: TourInFile, stored: StoredTour, prune: boolean): PlannedTour {
  const planned: PlannedTour = {
    change: {
      file,
      tourId: stored.tour?.id ?? randomUUID(),
      version: stored.tour?.version,
      recheck: isPrecarious(file, stored),
      inserts: [],
      updates: [],
      deletes: [],
      cancels: [],
      toTell: [],
    },
    tours: noCounts(),
    departures: noCounts(),
    faults: findFaults(file, stored),
  };
  const currency = file.fields?.currency ?? stored.tour?.currency;
  if (file.faulty || planned.faults.length > 0 || currency === undefined) return planned;
  planOwnFields(planned, stored, prune);
  planDepartures(planned, stored, currency);
  if (prune && file.departures) planMissingDepartures(planned, stored);
  return planned;
}

export function isChange({ tour, inserts, updates, deletes, cancels }: TourChange): boolean {
  return Boolean(tour) || [inserts, updates, deletes, cancels].some((rows) => rows.length > 0);
}

/** What the state refuses. */
function findFaults(file: TourInFile, stored: StoredTour): Fault[] {
  if (!file.sound && !stored.tour) {
    return [faultAt(file.place, '.tour_slug', `names no tour: there is none with the slug ${file.slug}`)];
  }
  // Amounts beside a currency of the files were judged by that.
  const amounts = file.sound ? [] : amountFaults(file, stored.tour!.currency);
  return [...amounts, ...currencyFaults(file, stored), ...seatsFaults(file, stored)];
}

/** Minor units say nothing without their currency: none that is promised or stays may change its meaning. */
function currencyFaults(file: TourInFile, { tour, departures, inUse }: StoredTour): Fault[] {
  if (!tour || !isRepriced(file, { tour })) return [];
  if (inUse) {
    const message = `must stay ${tour.currency}: the tour has live holds or standing bookings`;
    return [faultAt(file.place, '.currency', message)];
  }
  const priced = new Set(file.departures?.map(({ sound }) => sound.departure_date));
  const unpriced = departures.filter((departure) => !priced.has(departure.departure_date));
  // A date that cannot be read may be the one that seems to be missing.
  if (unpriced.length === 0 || priced.has(undefined)) return [];
  const dates = unpriced.map((departure) => departure.departure_date).join(', ');
  const message = `changes, so the file must price every departure of the tour; missing: ${dates}`;
  return [faultAt(file.place, '.currency', message)];
}

function isPrecarious(file: TourInFile, stored: StoredTour): boolean {
  return isRepriced(file, stored) || stored.departures.some(({ id }) => stored.use.has(id));
}

function isRepriced({ sound }: TourInFile, { tour }: Pick<StoredTour, 'tour'>): boolean {
  return tour !== undefined && sound?.currency !== undefined && sound.currency !== tour.currency;
}

function seatsFaults(file: TourInFile, stored: StoredTour): Fault[] {
  const byDate = new Map(stored.departures.map((departure) => [departure.departure_date, departure]));
  return (file.departures ?? []).flatMap(({ place, sound }) => {
    const { departure_date: date, seats_total: seats } = sound;
    const old = date === undefined ? undefined : byDate.get(date);
    const taken = (old && stored.use.get(old.id)?.seatsTaken) ?? 0;
    if (!old || seats === undefined || seats >= old.seats_total || seats >= taken) return [];
    const message = `must be at least ${taken}: so many seats of ${file.slug} on ${date} are held or booked`;
    return [faultAt(place, '.seats_total', message)];
  });
}

function planOwnFields(planned: PlannedTour, stored: StoredTour, prune: boolean): void {
  const { file, tourId } = planned.change;
  if (!file.fields) return;
  const merged = mergeTour(stored.tour, file.fields, currencyDigits(file.fields.currency)!);
  // Archived is what a pruning import makes of a tour that its file lacks; here the tour is back.
  const isBack = prune && stored.tour?.status === 'archived' && file.fields.status === undefined;
  const row = { id: tourId, ...merged, ...(isBack ? { status: 'published' as const } : {}) };
  if (!stored.tour) planned.tours.created++;
  else if (isDeepStrictEqual({ ...row, version: stored.tour.version }, { ...stored.tour }))
    planned.tours.unchanged++;
  else planned.tours.updated++;
  if (planned.tours.unchanged === 0) planned.change.tour = { isNew: !stored.tour, row };
}

function planDepartures(planned: PlannedTour, stored: StoredTour, code: string): void {
  const { change } = planned;
  const changes = stored.tour !== undefined && stored.tour.currency !== code;
  const currency = { digits: currencyDigits(code)!, changes };
  const byDate = new Map(stored.departures.map((departure) => [departure.departure_date, departure]));
  for (const { fields } of change.file.departures ?? []) {
    if (!fields) continue;
    const old = byDate.get(fields.departure_date);
    const merged = mergeDeparture(old, fields, currency);
    if (!old) change.inserts.push({ id: randomUUID(), tour_id: change.tourId, ...merged });
    else if (isSameDeparture(merged, old)) planned.departures.unchanged++;
    else {
      const row = { id: old.id, tour_id: change.tourId, version: old.version, ...merged };
      if (row.status === 'cancelled' && old.status !== 'cancelled') noteBookings(planned, stored, old);
      change.updates.push(row);
    }
  }
  planned.departures.created = change.inserts.length;
  planned.departures.updated = change.updates.length;
}

/** By hand: two million comparisons of any two objects take 5 s. */
function isSameDeparture(row: DepartureRow, old: DepartureRow): boolean {
  const [prices, before] = [row.prices_minor, old.prices_minor];
  return (
    row.seats_total === old.seats_total &&
    row.status === old.status &&
    row.return_date === old.return_date &&
    row.closes_at === old.closes_at &&
    prices.adult === before.adult &&
    prices.child === before.child &&
    prices.single_supplement === before.single_supplement
  );
}

function planMissingDepartures(planned: PlannedTour, stored: StoredTour): void {
  const { change } = planned;
  const listed = new Set(change.file.departures!.map(({ sound }) => sound.departure_date));
  for (const departure of stored.departures) {
    const use = stored.use.get(departure.id)!;
    if (listed.has(departure.departure_date)) continue;
    if (!use.referred) change.deletes.push(departure);
    // What took place with somebody aboard was not cancelled.
    else if (!use.past && departure.status !== 'cancelled') {
      change.cancels.push({ ...departure, status: 'cancelled' });
      noteBookings(planned, stored, departure);
    }
  }
}

function noteBookings(planned: PlannedTour, stored: StoredTour, departure: Stored<DepartureRow>): void {
  const bookingRefs = stored.use.get(departure.id)?.bookingRefs ?? [];
  if (bookingRefs.length === 0) return;
  planned.change.toTell.push({
    tour: planned.change.file.slug,
    departureDate: departure.departure_date,
    bookingRefs,
  });
}
