import { findTour } from '../../../services/api/catalog/find-tour';
import { checkContinent } from '../../../services/api/catalog/known-continents';
import { type DepartureOfDay, findDeparturesOfDay } from '../../../services/api/departures/day.repository';
import type { Db } from '../../../services/platform/database/database';
import type { AuditedContext } from '../../engine/context';
import { EXIT } from '../../engine/failure';
import type { Screen } from '../../terminal/screen';
import { type ItemColumn, tableOf } from '../../terminal/table';
import { countIs, countOf } from '../../terminal/text';
import { cancelWithAudit } from './cancel-with-audit';

export interface DayOptions {
  /** YYYY-MM-DD */
  date: string;
  continent?: string;
  /** Ids or slugs. */
  tour?: string[];
  cancelBookings?: boolean;
  reason?: string;
}

/**
 * Cancels the departures of a day after one question, each in a transaction of its own, by id. Exits with 1 if a departure could not be
 * cancelled: the same command then cancels the others. With --cancel-bookings also cancels the bookings that stand on cancelled departures.
 */
export async function cancelDayCommand(
  context: AuditedContext,
  { date, continent, tour: tours, cancelBookings = false, reason }: DayOptions,
): Promise<number> {
  const { auditedSeries, confirm, db, operator, output } = context;
  const found = await findDeparturesOfDay(db, {
    date,
    continent: await existingContinent(db, continent),
    tourIds: await tourIdsOf(db, tours),
    cancelsBookings: cancelBookings,
  });
  if (found.length > 0) {
    const preview = found.map(toDocument);
    output.note(tableOf(COLUMNS, '')(byTime(preview), output.screen));
    await confirm(questionOf(date, preview, cancelBookings));
  }
  const cancelling = cancelBookings ? { reason: reason ?? null } : null;
  const series = await auditedSeries(found, async (departure, { audited }) => {
    const named = { date, time: departure.departureTime ?? undefined };
    const done = await cancelWithAudit({ audited, operator }, departure.tour, named, cancelling);
    const seats = done.bookings.reduce((sum, booking) => sum + booking.seats, 0);
    return toDocument({ ...departure, bookings: done.bookings.length, seats });
  });
  const left = series.left.map(({ item, code, message }) => ({ ...placeOf(item), why: code, message }));
  const document = {
    departures: series.done,
    left: left.map(({ message: _, ...departure }) => departure),
  };
  await output.answer(document, (screen) => describeDay(date, series.done, left, { cancelBookings, screen }));
  return left.length > 0 ? EXIT.refused : EXIT.done;
}

/** @throws errors of checkContinent */
async function existingContinent(db: Db, continent: string | undefined): Promise<string | undefined> {
  if (continent !== undefined) await checkContinent(db, continent);
  return continent;
}

/** Returns the ids of the named tours. Undefined: none is named. @throws TourNotFoundError */
async function tourIdsOf(db: Db, named: string[] | undefined): Promise<string[] | undefined> {
  if (named === undefined) return undefined;
  const ids: string[] = [];
  for (const idOrSlug of named) ids.push((await findTour(db, idOrSlug)).id);
  return ids;
}

function placeOf({ tour, departureTime }: DepartureOfDay) {
  return { tour: tour.slug, departure_time: departureTime };
}

function toDocument(departure: DepartureOfDay) {
  const { seats, bookings } = departure;
  return { ...placeOf(departure), seats, bookings };
}

type PlaceDocument = ReturnType<typeof placeOf>;
type DepartureDocument = ReturnType<typeof toDocument>;
type LeftDeparture = PlaceDocument & { message: string };

const PLACE_COLUMNS: ItemColumn<PlaceDocument>[] = [
  { heading: 'start', cell: (departure) => departure.departure_time },
  { heading: 'tour', least: 10 },
];
const COLUMNS: ItemColumn<DepartureDocument>[] = [
  ...PLACE_COLUMNS,
  { heading: 'seats', right: true },
  { heading: 'bookings', right: true },
];
const LEFT_COLUMNS: ItemColumn<LeftDeparture>[] = [
  ...PLACE_COLUMNS,
  { heading: 'why it is left', least: 20, cell: ({ message }) => message },
];

/** Sorts departures for a person, who reads a day by its hours. */
function byTime<T extends PlaceDocument>(departures: T[]): T[] {
  const keyOf = ({ departure_time: time, tour }: T) => `${time ?? ''} ${tour}`;
  return departures.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function questionOf(date: string, departures: DepartureDocument[], cancelBookings: boolean): string {
  const those = countOf(departures.length, 'departure');
  const { bookings } = totalOf(departures);
  return `Take ${those} of ${date} off sale, and ${cancelBookings ? 'cancel' : 'keep'} ${countOf(bookings, 'booking')}?`;
}

function totalOf(departures: DepartureDocument[]): { seats: number; bookings: number } {
  return departures.reduce(
    (sum, { seats, bookings }) => ({ seats: sum.seats + seats, bookings: sum.bookings + bookings }),
    { seats: 0, bookings: 0 },
  );
}

function describeDay(
  date: string,
  done: DepartureDocument[],
  left: LeftDeparture[],
  { cancelBookings, screen }: { cancelBookings: boolean; screen: Screen },
): string {
  if (done.length + left.length === 0) return `No departure of ${date} is left to cancel`;
  const { bookings, seats } = totalOf(done);
  const sold = `${countIs(bookings, 'booking')} ${cancelBookings ? 'cancelled' : 'affected'}`;
  const departures = `${countOf(done.length, 'departure')} of ${date} ${done.length === 1 ? 'is' : 'are'} cancelled`;
  const lines = [`${departures}; ${sold}, with ${countOf(seats, 'seat')}`];
  if (done.length > 0) lines.push(tableOf(COLUMNS, '')(byTime(done), screen));
  if (left.length > 0)
    lines.push(
      `${countIs(left.length, 'departure')} left as before: the same command tries again`,
      tableOf(LEFT_COLUMNS, '')(byTime(left), screen),
    );
  return lines.join('\n');
}
