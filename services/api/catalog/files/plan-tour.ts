import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { currencyDigits } from '../../money/currency';
import type { DepartureUse } from './catalog-read.repository';
import type { TourInFile } from './check-catalog';
import { type Fault, faultAt, type Place } from './fault';
import type { Counts, TourChange } from './import-plan';
import { mergeDeparture, mergeTour } from './merge-rows';
import type { DepartureRow, OfTour, Stored, TourRow } from './stored-rows';

/** What the database holds of one tour of the files. */
export interface StoredTour {
  tour: Stored<TourRow> | undefined;
  /** Of a tour whose departures the file speaks of, or whose currency it changes; else empty. */
  departures: OfTour<Stored<DepartureRow>>[];
  inUse: boolean;
  /** Of its stored departures. */
  use: Map<string, DepartureUse>;
}

export interface PlannedTour {
  change: TourChange;
  tours: Counts;
  departures: Counts;
  faults: Fault[];
}

/** Compares one tour of the files with what is stored. Reads and writes nothing else. */
export function planTour(file: TourInFile, stored: StoredTour, prune: boolean): PlannedTour {
  const planned: PlannedTour = {
    change: {
      file,
      tourId: stored.tour?.id ?? randomUUID(),
      inserts: [],
      updates: [],
      deletes: [],
      cancels: [],
      toTell: [],
    },
    tours: { created: 0, updated: 0, unchanged: 0 },
    departures: { created: 0, updated: 0, unchanged: 0 },
    faults: [],
  };
  const currency = file.fields?.currency ?? stored.tour?.currency;
  if (currency === undefined) {
    if (!file.faulty)
      fault(planned, file.place, '.tour_slug', `names no tour: there is none with the slug ${file.slug}`);
    return planned;
  }
  planOwnFields(planned, stored, prune);
  planDepartures(planned, stored, currency);
  if (prune && file.departures) planMissingDepartures(planned, stored);
  return planned;
}

export function isChange({ tour, inserts, updates, deletes, cancels }: TourChange): boolean {
  return Boolean(tour) || [inserts, updates, deletes, cancels].some((rows) => rows.length > 0);
}

function planOwnFields(planned: PlannedTour, stored: StoredTour, prune: boolean): void {
  const { file, tourId } = planned.change;
  if (!file.fields) return;
  if (stored.tour && stored.tour.currency !== file.fields.currency) refuseUnsafeCurrency(planned, stored);
  const digits = currencyDigits(file.fields.currency)!;
  const merged = mergeTour(stored.tour, file.fields, digits, (message, part = '') =>
    fault(planned, file.place, part, message),
  );
  if (!merged) return;
  // Archived is what a pruning import makes of a tour that its file lacks; here the tour is back.
  const isBack = prune && stored.tour?.status === 'archived' && file.fields.status === undefined;
  const row = { id: tourId, ...merged, ...(isBack ? { status: 'published' as const } : {}) };
  if (!stored.tour) planned.tours.created++;
  else if (isDeepStrictEqual({ ...row }, { ...stored.tour })) planned.tours.unchanged++;
  else planned.tours.updated++;
  if (planned.tours.unchanged === 0) planned.change.tour = { isNew: !stored.tour, row };
}

/** Minor units say nothing without their currency: none that is promised or stays may change its meaning. */
function refuseUnsafeCurrency(planned: PlannedTour, { tour, departures, inUse }: StoredTour): void {
  const { file } = planned.change;
  const priced = new Set(file.departures?.map(({ fields }) => fields.departure_date));
  const unpriced = departures.filter((departure) => !priced.has(departure.departure_date));
  if (inUse) {
    fault(
      planned,
      file.place,
      '.currency',
      `must stay ${tour!.currency}: the tour has live holds or standing bookings`,
    );
  } else if (unpriced.length > 0) {
    const dates = unpriced.map((departure) => departure.departure_date).join(', ');
    fault(
      planned,
      file.place,
      '.currency',
      `changes, so the file must price every departure of the tour; missing: ${dates}`,
    );
  }
}

function planDepartures(planned: PlannedTour, stored: StoredTour, code: string): void {
  const { change } = planned;
  const changes = stored.tour !== undefined && stored.tour.currency !== code;
  const currency = { code, digits: currencyDigits(code)!, changes };
  const byDate = new Map(stored.departures.map((departure) => [departure.departure_date, departure]));
  for (const { place, fields } of change.file.departures ?? []) {
    const old = byDate.get(fields.departure_date);
    const merged = mergeDeparture(old, fields, currency, (message, part = '') =>
      fault(planned, place, part, message),
    );
    if (!merged) continue;
    const row = { id: old?.id ?? randomUUID(), tour_id: change.tourId, ...merged };
    if (!old) change.inserts.push(row);
    else if (!isDeepStrictEqual(row, { ...old })) planUpdate(planned, stored, old, row, place);
    else planned.departures.unchanged++;
  }
  planned.departures.created = change.inserts.length;
  planned.departures.updated = change.updates.length;
}

function planUpdate(
  planned: PlannedTour,
  stored: StoredTour,
  old: Stored<DepartureRow>,
  row: OfTour<Stored<DepartureRow>>,
  place: Place,
): void {
  const taken = stored.use.get(row.id)?.seatsTaken ?? 0;
  if (row.seats_total < old.seats_total && row.seats_total < taken) {
    const departure = `${planned.change.file.slug} on ${row.departure_date}`;
    fault(
      planned,
      place,
      '.seats_total',
      `must be at least ${taken}: so many seats of ${departure} are held or booked`,
    );
  }
  if (row.status === 'cancelled' && old.status !== 'cancelled') noteBookings(planned, stored, old);
  planned.change.updates.push(row);
}

function planMissingDepartures(planned: PlannedTour, stored: StoredTour): void {
  const { change } = planned;
  const listed = new Set(change.file.departures!.map(({ fields }) => fields.departure_date));
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

function fault(planned: PlannedTour, place: Place, part: string, message: string): undefined {
  planned.faults.push(faultAt(place, part, message));
  return undefined;
}
