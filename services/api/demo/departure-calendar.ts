import { DAY_MS, dateOf } from '../../platform/forms/days';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
/** 1 January 1970 was a Thursday: the Monday of that week was three days earlier. */
const EPOCH_WEEKDAY = 3;
const GAP_DAYS_MAX = 400;

type Weekday = (typeof WEEKDAYS)[number];

/**
 * The schedule of a tour. The dates depend on the calendar and not on the current day, so that a future date is still a date of the
 * schedule tomorrow.
 */
export interface DepartureSchedule {
  /** A weekday, or days of each month. */
  on: Weekday | number[];
  /** For a weekday: the interval in weeks, counted from 1970. */
  weeks?: number;
  /** The week within the interval, from 0. */
  phase?: number;
  /** The months with departures, 1 to 12. Undefined: all months. */
  months?: number[];
  /** Number of dates on sale at any time. */
  upcoming: number;
}

/** Returns the next dates of a schedule after `today`, in order: as many as `upcoming` says. */
export function upcomingDates(schedule: DepartureSchedule, today: string): string[] {
  const dates: string[] = [];
  const first = toDay(today) + 1;
  for (let day = first; dates.length < schedule.upcoming && day < first + 2 * GAP_DAYS_MAX; day++) {
    if (departsOn(schedule, day)) dates.push(toDate(day));
  }
  return dates;
}

/** Returns the last date of a schedule before `today`. */
export function previousDate(schedule: DepartureSchedule, today: string): string {
  const last = toDay(today) - 1;
  for (let day = last; day > last - GAP_DAYS_MAX; day--) {
    if (departsOn(schedule, day)) return toDate(day);
  }
  throw new Error('the schedule never departs');
}

/**
 * Returns the date that the demo marks, for example as cancelled. It is every n-th date since 1970, where n is the number of
 * dates on sale. So one upcoming date is always marked, and it stays marked until it is past.
 */
export function markedDate(schedule: DepartureSchedule, today: string): string {
  const marked = upcomingDates(schedule, today).find(
    (date) => numberSince1970(schedule, date) % schedule.upcoming === 0,
  );
  if (!marked || schedule.months) throw new Error('only a weekday schedule without a season marks a date');
  return marked;
}

/** Returns true for every second date of a weekday schedule. The result for a date does not depend on the current day. */
export function isEverySecond(schedule: DepartureSchedule, date: string): boolean {
  return numberSince1970(schedule, date) % 2 === 0;
}

/** Returns the number of this date among the dates of a weekday schedule, counted from 1970. */
function numberSince1970({ weeks = 1 }: DepartureSchedule, date: string): number {
  return Math.floor(weekOf(toDay(date)) / weeks);
}

function departsOn({ on, weeks = 1, phase = 0, months }: DepartureSchedule, day: number): boolean {
  const weekly = typeof on === 'string';
  if (weekly && (WEEKDAYS[(day + EPOCH_WEEKDAY) % 7] !== on || weekOf(day) % weeks !== phase)) return false;
  const date = new Date(day * DAY_MS);
  return (weekly || on.includes(date.getUTCDate())) && (!months || months.includes(date.getUTCMonth() + 1));
}

/** Returns the month of a `YYYY-MM-DD` date, from 1. */
export function monthOf(date: string): number {
  return Number(date.slice(5, 7));
}

function weekOf(day: number): number {
  return Math.floor((day + EPOCH_WEEKDAY) / 7);
}

function toDay(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS;
}

function toDate(day: number): string {
  return dateOf(day * DAY_MS);
}
