import { longDate, money } from './page.js';
import type { Departure } from './tour-platform.js';

/** The date and the start time that the visitor has chosen so far. */
export interface Chosen {
  /** Undefined: none yet, or one without a departure. */
  date?: string;
  /** Undefined: the date has several departures, and the visitor has not chosen one of them. */
  departure?: Departure;
  /** The departures of the date, in the order of their times. */
  sameDate: Departure[];
}

/** Reads the choice from the query `?date=2027-05-01&time=09:30` of a page. A date with one departure needs no time. */
export function chosenIn(departures: Departure[], query: Record<string, unknown>): Chosen {
  const sameDate = departures.filter(({ departure_date }) => departure_date === query.date);
  const departure = sameDate.length > 1 ? sameDate.find((one) => one.start_time === query.time) : sameDate[0];
  return { date: sameDate[0]?.departure_date, departure, sameDate };
}

interface CalendarProps {
  departures: Departure[];
  chosen: Chosen;
}

/**
 * One month after the other, with the lowest price of an adult on each day that has a departure; below it the times of the chosen date if
 * it has several.
 */
export function Calendar({ departures, chosen }: CalendarProps) {
  const byDate = new Map<string, Departure[]>();
  for (const departure of departures) {
    const others = byDate.get(departure.departure_date) ?? [];
    byDate.set(departure.departure_date, [...others, departure]);
  }
  const months = [...new Set([...byDate.keys()].map((date) => date.slice(0, 7)))].sort();
  if (months.length === 0) return <p class="empty">There is no departure now.</p>;
  return (
    <>
      <Months months={months} byDate={byDate} chosen={chosen} />
      {chosen.sameDate.length > 1 && <Times chosen={chosen} />}
    </>
  );
}

interface MonthsProps {
  months: string[];
  byDate: Map<string, Departure[]>;
  chosen: Chosen;
}

function Months({ months, byDate, chosen }: MonthsProps) {
  return (
    <div class="calendar">
      {months.map((month) => (
        <table>
          <caption>{monthName(month)}</caption>
          <thead>
            <tr>
              {['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'].map((day) => (
                <th scope="col">{day}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeksOf(month).map((week) => (
              <tr>
                {week.map((date) => (
                  <Day date={date} departures={byDate.get(date) ?? []} isChosen={date === chosen.date} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </div>
  );
}

interface DayProps {
  /** Empty before the first and after the last day of the month. */
  date: string;
  departures: Departure[];
  isChosen: boolean;
}

function Day({ date, departures, isChosen }: DayProps) {
  const day = Number(date.slice(8)) || '';
  const [first] = departures;
  if (!first) return <td>{day}</td>;
  const open = departures.filter(({ status }) => status === 'available');
  if (open.length === 0) {
    return (
      <td class="full">
        {day}
        <small>{statusText(first)}</small>
      </td>
    );
  }
  const lowest = Math.min(...open.map(({ tenant_prices }) => tenant_prices.adult));
  const several = departures.length > 1;
  return (
    <td class={isChosen ? 'chosen' : 'free'}>
      <a
        href={`?date=${date}${several ? '#times' : '#party'}`}
        title={several ? timesOf(departures) : seatsText(first)}
      >
        {day}
        <small>{money(lowest, first.currency)}</small>
        {several && <small>{`${departures.length} times`}</small>}
      </a>
    </td>
  );
}

/** The times of a date with several departures. One that cannot be booked is shown without a link. */
function Times({ chosen: { date = '', departure: chosen, sameDate } }: { chosen: Chosen }) {
  return (
    <section id="times">
      <h3>Choose a time on {longDate(date)}</h3>
      <ul class="times">
        {sameDate.map((departure) => (
          <li class={departure === chosen ? 'chosen' : ''}>
            <Time departure={departure} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Time({ departure }: { departure: Departure }) {
  const { departure_date, start_time, status, tenant_prices, currency } = departure;
  if (status !== 'available') {
    return (
      <span class="full">
        {start_time}
        <small>{statusText(departure)}</small>
      </span>
    );
  }
  return (
    <a href={`?date=${departure_date}&time=${start_time}#party`} title={seatsText(departure)}>
      {start_time}
      <small>{money(tenant_prices.adult, currency)}</small>
    </a>
  );
}

function statusText({ status }: Departure): string {
  return status === 'sold_out' ? 'full' : status;
}

function seatsText({ seats_available }: Departure): string {
  return `${seats_available} seats`;
}

function timesOf(departures: Departure[]): string {
  return departures.map(({ start_time }) => start_time).join(', ');
}

/** @param month such as 2027-05. Returns the dates of its weeks from Monday on. */
function weeksOf(month: string): string[][] {
  const first = new Date(`${month}-01`);
  const before = (first.getUTCDay() + 6) % 7;
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  const cells = Array.from({ length: Math.ceil((before + last) / 7) * 7 }, (_, cell) => {
    const day = cell - before + 1;
    return day < 1 || day > last ? '' : `${month}-${String(day).padStart(2, '0')}`;
  });
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(7 * week, 7 * week + 7));
}

function monthName(month: string): string {
  const options = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat('en', options).format(new Date(`${month}-01`));
}
