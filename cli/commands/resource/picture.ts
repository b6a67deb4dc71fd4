import type { Resource, TimeSpan } from '../../../services/api/resources/resource';
import type { ShownDay, ShownTrip } from '../../../services/api/resources/show-days';
import type { Screen } from '../../terminal/screen';
import { tableOf } from '../../terminal/table';
import { cutText, padText } from '../../terminal/text';

const HOURS = 24;
/** The cells of an hour: the picture of a day has 100 cells with its labels. */
const HOUR_CELLS = 4;
const LABEL_CELLS = 4;

/** The marks of a cell: nothing, a trip, the turnaround after it, a closed unit. */
const FREE = '.';
const TRIP = '=';
const TURNAROUND = '-';
const CLOSED = '#';

/** Draws the days of a resource: the hours across, a line for each unit, and below them the trips with their seats. */
export function drawDays(resource: Resource, days: ShownDay[], screen?: Screen): string {
  const hourCells = cellsOfHour(screen);
  const drawn = days.map((day) => drawDay(resource, day, hourCells, screen));
  return [
    ...drawn,
    `${TRIP} trip (7+5: 7 seats sold, 5 left)  ${TURNAROUND} turnaround  ${CLOSED} closed  times in ${resource.timeZone}`,
  ].join('\n\n');
}

function cellsOfHour(screen?: Screen): number {
  const available = (screen?.columns ?? Infinity) - LABEL_CELLS;
  return Math.max(1, Math.min(HOUR_CELLS, Math.floor(available / HOURS)));
}

function drawDay(resource: Resource, day: ShownDay, hourCells: number, screen?: Screen): string {
  const clock = clockOf(resource.timeZone);
  const lines = day.units.map((unit, n) => {
    const cells = Array.from({ length: HOURS * hourCells }, () => FREE);
    for (const closing of unit.closings) fill(cells, day, closing, CLOSED);
    for (const trip of unit.trips) {
      fill(cells, day, { from: trip.to, to: trip.freeAt }, TURNAROUND);
      fill(cells, day, trip, TRIP, describeSeats(trip));
    }
    return padText(String(n + 1), LABEL_CELLS) + cells.join('');
  });
  const trips = day.units.flatMap((unit, n) =>
    unit.trips.flatMap((trip) => trip.departures.map((departure) => ({ unit: n + 1, trip, departure }))),
  );
  const closings = day.units.flatMap((unit) => unit.closings);
  const closed = [...new Set(closings)].map(
    (closing) =>
      `closed ${clock(closing.from, day)} to ${clock(closing.to, day)}, ` +
      `${closing.units === null ? 'all units' : `units: ${closing.units}`}: ${closing.reason}`,
  );
  const table = tableOf<(typeof trips)[number]>(
    [
      { heading: 'unit', right: true },
      { heading: 'from', cell: ({ departure }) => clock(departure.from, day) },
      { heading: 'to', cell: ({ departure }) => clock(departure.to, day) },
      { heading: 'tour', least: 12, cell: ({ departure }) => departure.tour },
      { heading: 'sold', right: true, cell: ({ departure }) => departure.seats },
      { heading: 'left', right: true, cell: ({ trip }) => trip.seatsLeft },
    ],
    '',
  )(trips, screen);
  return [day.date, drawHours(day, clock, hourCells), ...lines, table, ...closed].filter(Boolean).join('\n');
}

/** Draws the local hours above the cells. On a day with a change of the clock, an hour is left out or stands twice. */
function drawHours(day: ShownDay, clock: Clock, hourCells: number): string {
  const step = hourCells > 2 ? 1 : 3;
  const label = (n: number) => {
    const at = new Date(day.from.getTime() + (n / HOURS) * (day.to.getTime() - day.from.getTime()));
    return n % step === 0 ? clock(at).slice(0, 2) : '';
  };
  const hours = Array.from({ length: HOURS }, (_, n) => n)
    .filter((n) => n % step === 0)
    .map((n) => padText(label(n), hourCells * step));
  return (' '.repeat(LABEL_CELLS) + hours.join('')).trimEnd();
}

/** Fills the cells of a time with a mark, and writes a text into them if it has room. */
function fill(cells: string[], day: TimeSpan, { from, to }: TimeSpan, mark: string, text = ''): void {
  const cellOf = (at: Date, round: (cell: number) => number) => {
    const part = (at.getTime() - day.from.getTime()) / (day.to.getTime() - day.from.getTime());
    return Math.min(cells.length, Math.max(0, round(part * cells.length)));
  };
  const first = cellOf(from, Math.floor);
  const end = cellOf(to, Math.ceil);
  for (let n = first; n < end; n++) cells[n] = mark;
  const written = [...cutText(text, Math.max(0, end - first))];
  if (written.length === text.length) cells.splice(first, written.length, ...written);
}

/** Describes the seats of a trip: `7+5` for 7 sold seats and 5 left. */
function describeSeats({ seats, seatsLeft }: ShownTrip): string {
  return seatsLeft === null ? String(seats) : `${seats}+${seatsLeft}`;
}

/** Returns the local time of an instant, with its date if it is not on the day. */
type Clock = (at: Date, day?: ShownDay) => string;

function clockOf(timeZone: string): Clock {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return (at, day) => {
    const [date, time] = format.format(at).split(' ') as [string, string];
    return day === undefined || date === day.date ? time : `${date} ${time}`;
  };
}
