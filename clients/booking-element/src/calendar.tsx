import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { categoryName } from './category-names.ts';
import { addDays, lastDayOf, monthOf, placeInWeek, sameDayIn, weeksOf } from './days.ts';
import { type DepartureDay, departureDays } from './departure-days.ts';
import { IconButton } from './parts.tsx';
import { useSpeech } from './speech.ts';
import type { Departure, Tour } from './wire.ts';
import { fill } from './words/words.ts';

export interface CalendarProps {
  /** At least one. */
  departures: readonly Departure[];
  /** YYYY-MM-DD */
  chosenDate: string | undefined;
  /** YYYY-MM; a month without departures, and undefined, show the first month in which a date can be chosen. */
  month: string | undefined;
  onMonth(month: string): void;
  onChoose(date: string): void;
  /** The days show the price of its first category. */
  tour: Tour;
}

/** Shows one month of departures as a grid of days, after the WAI-ARIA pattern of a date grid. Skips months without departures. */
export function Calendar({ departures, chosenDate, month, onMonth, onChoose, tour }: CalendarProps) {
  const { words, formats, direction } = useSpeech();
  const days = useMemo(() => departureDays(departures, tour), [departures, tour]);
  const months = useMemo(() => [...new Set([...days.keys()].map(monthOf))], [days]);
  const shown =
    month !== undefined && months.includes(month) ? month : monthOf(firstOpenOf([...days.keys()], days));
  const { focused, setFocused, moveTo, grid } = useRovingFocus(entryOf(shown, days, chosenDate), onMonth);
  /** The date that the visitor chose in vain. */
  const [refused, setRefused] = useState<string>();

  const hasFew = [...days].some(
    ([date, { state, few }]) => monthOf(date) === shown && state === 'open' && few,
  );
  const choose = (date: string) => {
    const open = days.get(date)?.state === 'open';
    setRefused(open ? undefined : date);
    if (open) onChoose(date);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = targetOf(event.key, focused, direction, formats.firstWeekday, months);
    if (target === undefined) return;
    event.preventDefault();
    if (target !== focused) moveTo(target);
  };
  return (
    <section part="calendar" class="calendar" aria-labelledby="calendar-title">
      <h2 id="calendar-title">{words.calendar.title}</h2>
      <MonthHeader month={shown} months={months} onMonth={onMonth} />
      <div class="weeks">
        <table
          role="grid"
          aria-labelledby="calendar-month"
          ref={grid}
          onKeyDown={onKeyDown}
          onFocusIn={({ target }) => setFocused((target as HTMLElement).dataset.date)}
        >
          <WeekdayRow />
          <tbody>
            {weeksOf(shown, formats.firstWeekday).map((week, index) => (
              <tr key={index}>
                {week.map((date, place) =>
                  date === undefined ? (
                    <td key={place} />
                  ) : (
                    <DayCell
                      key={place}
                      date={date}
                      day={days.get(date)}
                      isChosen={date === chosenDate}
                      isFocused={date === focused}
                      onChoose={choose}
                    />
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p role="status" class="refused">
        {refused !== undefined && monthOf(refused) === shown && reasonOf(refused)}
      </p>
      <p class="legend">
        {fill(words.calendar.prices, {
          category: categoryName(tour.categories[0]!, words),
          currency: days.values().next().value!.currency,
        })}
        {hasFew && <span class="few-mark">{words.calendar.few}</span>}
      </p>
    </section>
  );

  function reasonOf(date: string): string {
    return `${formats.date(date)}: ${stateWords(days.get(date), words.calendar)}`;
  }
}

interface MonthHeaderProps {
  month: string;
  months: string[];
  onMonth(month: string): void;
}

function MonthHeader({ month, months, onMonth }: MonthHeaderProps) {
  const { words, formats } = useSpeech();
  const place = months.indexOf(month);
  const button = (sign: 'previous' | 'next', target: string | undefined) => (
    <IconButton
      sign={sign}
      name={words.calendar[sign]}
      onClick={target !== undefined && (() => onMonth(target))}
    />
  );
  return (
    <div class="month">
      {button('previous', months[place - 1])}
      <p id="calendar-month" aria-live="polite">
        {formats.month(month)}
      </p>
      {button('next', months[place + 1])}
    </div>
  );
}

function WeekdayRow() {
  const { formats } = useSpeech();
  return (
    <thead>
      <tr>
        {formats.weekdays.map(({ short, long }) => (
          <th key={long} scope="col" abbr={long}>
            {short}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface DayCellProps {
  date: string;
  day: DepartureDay | undefined;
  isChosen: boolean;
  isFocused: boolean;
  onChoose(date: string): void;
}

function DayCell({ date, day, isChosen, isFocused, onChoose }: DayCellProps) {
  const { words, formats } = useSpeech();
  const label = [formats.date(date), stateWords(day, words.calendar)];
  if (day?.state === 'open') {
    label[1] = fill(words.calendar.from, { price: formats.money(day.priceFrom, day.currency) });
    if (day.few) label.push(words.calendar.few);
  }
  return (
    <td role="gridcell" aria-selected={isChosen}>
      <button
        type="button"
        part="day"
        class={`day ${day?.state ?? 'none'}`}
        data-date={date}
        tabIndex={isFocused ? 0 : -1}
        aria-disabled={day?.state !== 'open'}
        onClick={() => onChoose(date)}
      >
        <span class="visually-hidden">{label.join(', ')}</span>
        <span class="face" aria-hidden="true">
          <span class="number">{formats.number(Number(date.slice(8)))}</span>
          {day && <DayDetail day={day} />}
        </span>
      </button>
    </td>
  );
}

/** A short price with more characters than this is written smaller. */
const SHORT_MAX = 5;

/** The price of a day, or why it cannot be chosen. A narrow calendar shows the short price, and marks in place of words. */
function DayDetail({ day: { state, few, priceFrom, currency } }: { day: DepartureDay }) {
  const { words, formats } = useSpeech();
  if (state !== 'open') return <span class="reason">{words.calendar[state]}</span>;
  const short = formats.shortMoney(priceFrom, currency);
  return (
    <>
      <span class="price full">{formats.money(priceFrom, currency)}</span>
      <span class={short.length > SHORT_MAX ? 'price short long' : 'price short'}>{short}</span>
      {few && <span class="few">{words.calendar.few}</span>}
    </>
  );
}

function stateWords(
  day: DepartureDay | undefined,
  words: Record<'none' | 'soldOut' | 'closed' | 'cancelled', string>,
) {
  return day === undefined || day.state === 'open' ? words.none : words[day.state];
}

/** Keeps one day of the grid in the tab order, and moves the focus to the day that a key names. */
function useRovingFocus(entry: string, onMonth: (month: string) => void) {
  const grid = useRef<HTMLTableElement>(null);
  const [moved, setFocused] = useState<string>();
  const focused = moved !== undefined && monthOf(moved) === monthOf(entry) ? moved : entry;
  const isMoving = useRef(false);
  useLayoutEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    grid.current?.querySelector<HTMLElement>(`[data-date="${focused}"]`)?.focus();
  });
  const moveTo = (date: string) => {
    isMoving.current = true;
    setFocused(date);
    if (monthOf(date) !== monthOf(entry)) onMonth(monthOf(date));
  };
  return { focused, setFocused, moveTo, grid };
}

/** Returns the day of a month that the tab key reaches: the chosen one, otherwise the first that can be chosen. */
function entryOf(month: string, days: Map<string, DepartureDay>, chosenDate: string | undefined): string {
  if (chosenDate !== undefined && monthOf(chosenDate) === month) return chosenDate;
  return firstOpenOf(
    [...days.keys()].filter((date) => monthOf(date) === month),
    days,
  );
}

/** Returns the first date that can be chosen; without one, the first date. */
function firstOpenOf(dates: string[], days: Map<string, DepartureDay>): string {
  return dates.find((date) => days.get(date)!.state === 'open') ?? dates[0]!;
}

/** Returns the day to which a key moves the focus. Undefined: the key moves nothing. */
function targetOf(
  key: string,
  date: string,
  direction: 'ltr' | 'rtl',
  firstWeekday: number,
  months: string[],
): string | undefined {
  const forward = direction === 'rtl' ? -1 : 1;
  const place = placeInWeek(date, firstWeekday);
  const steps: Record<string, number> = {
    ArrowRight: forward,
    ArrowLeft: -forward,
    ArrowDown: 7,
    ArrowUp: -7,
    Home: -place,
    End: 6 - place,
  };
  const index = months.indexOf(monthOf(date));
  const other = { PageDown: months[index + 1], PageUp: months[index - 1] }[key];
  if (other !== undefined) return sameDayIn(other, date);
  const step = steps[key];
  return step === undefined ? undefined : inMonths(addDays(date, step), date, months);
}

/**
 * Returns the day, or the nearest one beyond it in a month with departures. Without one, returns the present day, so that the key does not
 * scroll the page.
 */
function inMonths(target: string, from: string, months: string[]): string {
  if (months.includes(monthOf(target))) return target;
  const next = months[months.indexOf(monthOf(from)) + (target > from ? 1 : -1)];
  if (next === undefined) return from;
  return target > from ? `${next}-01` : lastDayOf(next);
}
