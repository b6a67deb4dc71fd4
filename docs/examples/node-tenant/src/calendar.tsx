import { money } from './page.js';
import type { Departure } from './tour-platform.js';

interface CalendarProps {
  departures: Departure[];
  /** The address of a departure that can be chosen. */
  linkTo: (date: string) => string;
  chosen?: string;
}

/** One month after the other, with the price of an adult on each day that has a departure. */
export function Calendar({ departures, linkTo, chosen }: CalendarProps) {
  const byDate = new Map(departures.map((departure) => [departure.departure_date, departure]));
  const months = [...new Set([...byDate.keys()].map((date) => date.slice(0, 7)))].sort();
  if (months.length === 0) return <p class="empty">There is no departure now.</p>;
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
                  <Day date={date} departure={byDate.get(date)} linkTo={linkTo} chosen={chosen} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </div>
  );
}

interface DayProps extends Pick<CalendarProps, 'linkTo' | 'chosen'> {
  /** Empty before the first and after the last day of the month. */
  date: string;
  departure: Departure | undefined;
}

function Day({ date, departure, linkTo, chosen }: DayProps) {
  const day = Number(date.slice(8)) || '';
  if (!departure) return <td>{day}</td>;
  if (departure.status !== 'available') {
    return (
      <td class="full">
        {day}
        <small>{departure.status === 'sold_out' ? 'full' : departure.status}</small>
      </td>
    );
  }
  return (
    <td class={date === chosen ? 'chosen' : 'free'}>
      <a href={linkTo(date)} title={`${departure.seats_available} seats`}>
        {day}
        <small>{money(departure.tenant_prices.adult, departure.currency)}</small>
      </a>
    </td>
  );
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
