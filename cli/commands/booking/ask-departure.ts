import type { Tour } from '../../../services/api/catalog/tour';
import { type ListedDeparture, seatsLeft } from '../../../services/api/departures/departure';
import type { NamedDeparture, PricedDeparture } from '../../../services/api/departures/find-departures';
import { toMajor } from '../../../services/api/pricing/currency';
import { firstPrice } from '../../../services/api/pricing/price-categories';
import { addDays, daysBetween, isCalendarDate, todayIn } from '../../../services/platform/forms/days';
import { departureOnDate, formatMoney } from '../../engine/values';
import type { Io } from '../../terminal/io';
import { askFromList, askOne, type Choice, type Offer } from '../../terminal/prompts';
import { padText } from '../../terminal/text';
import { type SaleReads, wordsOf } from './sale-reads';

/** The most dates that replace an impossible one. */
const NEAREST_DATES = 5;

/**
 * Asks for the departure: for its date, and for its time if the date has several departures. A given one is not asked for; if it cannot be sold,
 * the question says why and offers the nearest dates.
 */
export async function askDeparture(
  io: Io,
  reads: SaleReads,
  tour: Tour,
  given: NamedDeparture | undefined,
): Promise<PricedDeparture> {
  const all = await reads.departures(tour, given?.date);
  const sold = all.filter(isSold);
  const [only, ...others] = given ? departuresOn(sold, given) : [];
  if (only && others.length === 0) return only;
  if (only) return askTime(io, [only, ...others]);
  const question = { all, sold, today: todayIn(tour.timeZone), why: given && whyNot(all, given) };
  const answer = await askFromList(io, 'Date:', async (typed) => findDates(question, typed));
  const found = departuresOn(sold, departureOnDate(answer, 'It'));
  return found.length === 1 ? found[0]! : askTime(io, found);
}

async function askTime(io: Io, found: readonly PricedDeparture[]): Promise<PricedDeparture> {
  const times = found.map((one) => ({ value: one.departure.startTime!, name: describeLine(one) }));
  const answer = await askOne(io, 'Time:', times);
  return found.find(({ departure }) => departure.startTime === answer)!;
}

const isSold = ({ departure }: PricedDeparture): boolean => !departure.cancelled;

function departuresOn(all: readonly PricedDeparture[], { date, time }: NamedDeparture): PricedDeparture[] {
  return all.filter(
    ({ departure }) =>
      departure.departureDate === date && (time === undefined || departure.startTime === time),
  );
}

/** Says why a date cannot be sold. */
function whyNot(all: readonly PricedDeparture[], { date, time }: NamedDeparture): string {
  const day = time === undefined ? describeDay(date) : `${describeDay(date)} ${time}`;
  const isCancelled = departuresOn(all, { date, time }).length > 0;
  return isCancelled ? `The departure of ${day} is cancelled` : `There is no departure on ${day}`;
}

interface DateQuestion {
  all: readonly PricedDeparture[];
  /** Those that can be sold. */
  sold: readonly PricedDeparture[];
  today: string;
  /** Why the given date cannot be sold. */
  why: string | undefined;
}

/** Returns one choice for each date that the typed words name, or for each departure if they name a time. */
function findDates({ all, sold, today, why }: DateQuestion, typed: string): Offer {
  const words = wordsOf(typed);
  const fitting = (list: readonly PricedDeparture[]) =>
    list.filter(({ departure }) => namesDeparture(departure, words, today));
  const found = fitting(sold);
  if (found.length > 0) {
    const choices = words.some(isTime) ? found.map(choiceOfTime) : choicesByDate(found);
    return { why: words.length === 0 ? why : undefined, choices };
  }
  const [cancelled] = fitting(all);
  const date = cancelled?.departure.departureDate ?? readDay(words, today);
  if (date === undefined) return { why: `No departure is on "${typed}"`, choices: [] };
  return {
    why: whyNot(all, { date }),
    choices: choicesByDate(nearestTo(sold, date)).slice(0, NEAREST_DATES),
  };
}

const isTime = (word: string): boolean => /^\d\d?:/.test(word);

/** Returns whether each word begins the weekday, the day, the month, the year, the date or the time of the departure. */
function namesDeparture(
  { departureDate: date, startTime }: ListedDeparture,
  words: readonly string[],
  today: string,
): boolean {
  const { day, weekday, month, year } = partsOf(date);
  const tomorrow = addDays(today, 1);
  const near = [...(date === today ? ['today'] : []), ...(date === tomorrow ? ['tomorrow'] : [])];
  const names = [weekday, month, year, date, ...near, ...(startTime === null ? [] : [startTime])];
  return words.every(
    (word) => Number(word) === Number(day) || names.some((name) => name.toLowerCase().startsWith(word)),
  );
}

/** Returns the date that the words name, or the next one of a day and a month. Undefined: they name none. */
function readDay(words: readonly string[], today: string): string | undefined {
  const iso = words.find(isCalendarDate);
  if (iso !== undefined) return iso;
  const day = words.find((word) => /^\d\d?$/.test(word));
  if (day === undefined || words.length < 2) return undefined;
  const dates = Array.from({ length: DAYS_OF_YEAR }, (_, days) => addDays(today, days));
  return dates.find((date) => {
    const { month, year, day: number, weekday } = partsOf(date);
    const names = [month, year, weekday].map((name) => name.toLowerCase());
    const isNamed = (word: string) => word === day || names.some((name) => name.startsWith(word));
    return Number(number) === Number(day) && words.every(isNamed);
  });
}

const DAYS_OF_YEAR = 366;

/** Returns the departures, the nearest dates first. */
export function nearestTo(departures: readonly PricedDeparture[], date: string): PricedDeparture[] {
  const distance = ({ departure }: PricedDeparture) => Math.abs(daysBetween(date, departure.departureDate));
  return departures.toSorted((a, b) => distance(a) - distance(b));
}

/** Returns one choice for each date, in the order of the first departure of each. */
function choicesByDate(departures: readonly PricedDeparture[]): Choice[] {
  const dates = new Map<string, PricedDeparture[]>();
  for (const one of departures) {
    const { departureDate: date } = one.departure;
    dates.set(date, [...(dates.get(date) ?? []), one]);
  }
  return [...dates].map(([value, ofDate]) => ({ value, name: describeDate(ofDate) }));
}

function choiceOfTime(one: PricedDeparture): Choice {
  return { value: nameOf(one), name: describeLine(one) };
}

/** Returns the date of a departure, with its time if it has one: `2027-06-05T18:00`. */
function nameOf({ departure: { departureDate, startTime } }: PricedDeparture): string {
  return startTime === null ? departureDate : `${departureDate}T${startTime}`;
}

function describeDate(departures: readonly PricedDeparture[]): string {
  const [first, ...others] = departures;
  if (others.length === 0) return describeLine(first!);
  const most = departures.toSorted((a, b) => freeSeats(b.departure) - freeSeats(a.departure))[0]!;
  const cheapest = departures.toSorted((a, b) => priceOf(a) - priceOf(b))[0]!;
  return lineOf(first!.departure.departureDate, `${departures.length} times`, most, cheapest);
}

/** Describes a departure: `Sat 5 Jun 2027  18:00  12 free  from 49.00 EUR`. */
function describeLine(one: PricedDeparture): string {
  return lineOf(one.departure.departureDate, one.departure.startTime ?? '', one, one);
}

function lineOf(date: string, time: string, { departure }: PricedDeparture, priced: PricedDeparture): string {
  const { quote } = priced;
  const price = formatMoney(toMajor(priceOf(priced), quote.currencyDigits), quote.currency);
  const free = freeSeats(departure) === 0 ? 'sold out' : `${freeSeats(departure)} free`;
  const closed = departure.closed ? '  closed on websites' : '';
  return `${padText(describeDay(date), 15)}  ${padText(time, 7)}  ${padText(free, 8)}  from ${price}${closed}`;
}

function priceOf({ quote }: PricedDeparture): number {
  return firstPrice(quote.tenant, quote.categories);
}

/** Returns the seats that the desk can sell, also after the closing time of websites. */
export function freeSeats(departure: ListedDeparture): number {
  return Math.max(0, seatsLeft(departure));
}

const PARTS = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

function partsOf(date: string): Record<'weekday' | 'day' | 'month' | 'year', string> {
  const parts = PARTS.formatToParts(new Date(`${date}T00:00:00Z`));
  const of = (type: string) => parts.find((part) => part.type === type)!.value;
  return { weekday: of('weekday'), day: of('day'), month: of('month'), year: of('year') };
}

/** Formats a date for a person: `Sat 5 Jun 2027`. */
export function describeDay(date: string): string {
  const { weekday, day, month, year } = partsOf(date);
  return `${weekday.slice(0, 3)} ${day} ${month.slice(0, 3)} ${year}`;
}
