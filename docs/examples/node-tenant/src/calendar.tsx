import { longDate, money } from './page.js';
import type { Departure } from './tour-platform.js';

/** A departure with at most this number of free seats says how many are left. */
const FEW_SEATS = 5;

/** The date and the start time that the visitor has chosen so far. */
export interface Chosen {
  /** Undefined: none yet, or one without a departure. */
  date?: string;
  /** Undefined: the date has several departures, and the visitor has not chosen one of them. */
  departure?: Departure;
  /** The departures of the date, in the order of their times. */
  sameDate: Departure[];
  /** The month to show, such as 2027-05. Undefined: the first one with a free seat. */
  month?: string;
}

/**
 * Reads the choice from the query of a page, `?date=2027-05-01&time=09:30` or `?month=2027-05`. A date with one departure needs no time.
 */
export function chosenIn(departures: Departure[], query: Record<string, unknown>): Chosen {
  const sameDate = departures.filter(({ departure_date }) => departure_date === query.date);
  const departure = sameDate.length > 1 ? sameDate.find((one) => one.start_time === query.time) : sameDate[0];
  const date = sameDate[0]?.departure_date;
  const month = typeof query.month === 'string' ? query.month : undefined;
  return { date, departure, sameDate, month: date?.slice(0, 7) ?? month };
}

/** Returns the date of today in a time zone such as Europe/Oslo. */
export function todayIn(timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone }).format();
}

interface CalendarProps {
  departures: Departure[];
  chosen: Chosen;
  today: string;
  /** The code of the category whose price is shown. */
  category: string;
}

/**
 * A month, with the lowest price of the category on each day that has a departure; links to the other months; the times of the chosen date if
 * it has several.
 */
export function Calendar({ departures, chosen, today, category }: CalendarProps) {
  const months = [...new Set(departures.map(({ departure_date }) => departure_date.slice(0, 7)))].sort();
  if (months.length === 0) return <p class="empty">There is no departure now.</p>;
  const firstFree = departures.find(isFree)?.departure_date.slice(0, 7);
  const month = months.find((one) => one === chosen.month) ?? firstFree ?? months[0]!;
  return (
    <div class="calendar">
      <nav aria-label="Months">
        {months.map((one) => (
          <a href={`?month=${one}#dates`} aria-current={one === month ? 'true' : undefined}>
            {monthName(one, 'short')}
          </a>
        ))}
      </nav>
      <Month month={month} departures={departures} chosen={chosen} today={today} category={category} />
      {chosen.sameDate.length > 1 && <Times chosen={chosen} category={category} />}
    </div>
  );
}

function Month({ month, departures, chosen, today, category }: CalendarProps & { month: string }) {
  return (
    <table>
      <caption>{monthName(month, 'long')}</caption>
      <thead>
        <tr>
          {['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map((day) => (
            <th scope="col">{day}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(month).map((week) => (
          <tr>
            {week.map((date) => (
              <td aria-current={date === today ? 'date' : undefined}>
                <Day
                  date={date}
                  departures={departures.filter((one) => one.departure_date === date)}
                  isChosen={date === chosen.date}
                  category={category}
                />
                {date === today && <small>today</small>}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface DayProps {
  /** Empty before the first and after the last day of the month. */
  date: string;
  departures: Departure[];
  isChosen: boolean;
  category: string;
}

function Day({ date, departures, isChosen, category }: DayProps) {
  const day = Number(date.slice(8)) || '';
  const free = departures.filter(isFree);
  const [first] = departures;
  if (!first || free.length === 0) {
    return (
      <>
        {day}
        {first && <small>{seatsText(first)}</small>}
      </>
    );
  }
  const lowest = Math.min(...free.map(({ tenant_prices }) => tenant_prices[category]!));
  const several = departures.length > 1;
  return (
    <a href={`?date=${date}${several ? '#times' : '#party'}`} aria-current={isChosen || undefined}>
      <span aria-hidden="true">{day}</span>
      <span class="hidden">{longDate(date)}, </span>
      <small>{shortPrice(lowest, first.currency)}</small>
      <small>{several ? `${departures.length} times` : seatsText(first)}</small>
    </a>
  );
}

interface TimesProps {
  chosen: Chosen;
  category: string;
}

/** The times of a date with several departures. One that cannot be booked is shown without a link. */
function Times({ chosen: { date = '', departure: chosen, sameDate }, category }: TimesProps) {
  return (
    <section id="times">
      <h3>Choose a time on {longDate(date)}</h3>
      <ul class="times">
        {sameDate.map((departure) => (
          <li>
            <Time departure={departure} isChosen={departure === chosen} category={category} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface TimeProps {
  departure: Departure;
  isChosen: boolean;
  category: string;
}

function Time({ departure, isChosen, category }: TimeProps) {
  const { departure_date, start_time, tenant_prices, currency } = departure;
  if (!isFree(departure)) {
    return (
      <span>
        {start_time}
        <small>{seatsText(departure)}</small>
      </span>
    );
  }
  return (
    <a href={`?date=${departure_date}&time=${start_time}#party`} aria-current={isChosen || undefined}>
      {start_time}
      <small>{money(tenant_prices[category]!, currency)}</small>
      <small>{seatsText(departure)}</small>
    </a>
  );
}

function isFree({ status }: Departure): boolean {
  return status === 'available';
}

/** Says that a departure cannot be booked, or has few seats. Empty: it has many. */
function seatsText({ status, seats_available }: Departure): string {
  if (status !== 'available') return status.replace('_', ' ');
  return seats_available <= FEW_SEATS ? `${seats_available} left` : '';
}

/** Returns a price for a small place, such as $534 or ₫12.5M. */
function shortPrice(amount: number, currency: string): string {
  const isLong = amount >= 1e6;
  const isRound = isLong || Number.isInteger(amount);
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    notation: isLong ? 'compact' : 'standard',
    ...(isRound && { minimumFractionDigits: 0, maximumFractionDigits: isLong ? 1 : 0 }),
  }).format(amount);
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

function monthName(month: string, length: 'long' | 'short'): string {
  const options = { month: length, year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat('en', options).format(new Date(`${month}-01`));
}
