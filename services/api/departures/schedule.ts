import { RRule } from 'rrule';
import { AppError } from '../../platform/errors';
import { calendarDateForm, daysBetween } from '../../platform/forms/days';
import { isStartTime } from '../catalog/start-time';
import { ADDED_DEPARTURES_MAX, type ScheduledDeparture } from './add-departures';

/** Describes the departures of a tour by a rule of repetition. All dates are YYYY-MM-DD, without a time zone. */
export interface Schedule {
  /** `daily`, days of the week such as `mon,sat`, or a recurrence rule (RFC 5545) such as `FREQ=WEEKLY;INTERVAL=2;BYDAY=SA`. */
  every: string;
  /** The first possible date. A rule with an interval counts its weeks, months or years from this date. */
  from: string;
  /** The last possible date. */
  to: string;
  /** HH:MM. Each date gets a departure at each of these times. By default one departure without a time of its own. */
  startTimes?: string[];
  /** Dates that the rule describes, but that get no departure. */
  except?: string[];
}

/** Limits the days between the first and the last date: five years. */
const SCHEDULE_DAYS_MAX = 1_830;

/** The fields of a schedule, by their names in an import file. */
export type ScheduleField = 'every' | 'from' | 'to' | 'start_times' | 'except';

/** A field of a schedule is not valid, or the schedule describes no departure or too many. The message begins with the field. */
export class InvalidScheduleError extends AppError {
  readonly code = 'invalid_schedule';

  /** @param problem continues a sentence that begins with the field: `must be …` */
  constructor(
    readonly field: ScheduleField,
    readonly problem: string,
  ) {
    super(`${field} ${problem}`);
  }
}

/**
 * Returns the departures that a schedule describes, by date and time.
 * @throws InvalidScheduleError for a malformed field, a range of more than SCHEDULE_DAYS_MAX days, no or more than ADDED_DEPARTURES_MAX
 * departures, and an exception that the rule does not describe: it is probably a typing mistake
 */
export function expandSchedule({
  every,
  from,
  to,
  startTimes = [],
  except = [],
}: Schedule): ScheduledDeparture[] {
  checkRange(from, to);
  checkStartTimes(startTimes);
  const dates = datesOf(every, from, to);
  checkExceptions(except, dates);
  const left = dates.filter((date) => !except.includes(date));
  if (left.length === 0) throw new InvalidScheduleError('every', `describes no date from ${from} to ${to}`);
  const times = startTimes.length === 0 ? [null] : startTimes.toSorted();
  const total = left.length * times.length;
  if (total > ADDED_DEPARTURES_MAX)
    throw new InvalidScheduleError(
      'every',
      `describes ${total} departures, and the most at once are ${ADDED_DEPARTURES_MAX}`,
    );
  return left.flatMap((date) => times.map((startTime) => ({ date, startTime })));
}

function checkRange(from: string, to: string): void {
  assertDate('from', from);
  assertDate('to', to);
  if (to < from) throw new InvalidScheduleError('to', 'must not be before the first date');
  const days = daysBetween(from, to);
  if (days > SCHEDULE_DAYS_MAX)
    throw new InvalidScheduleError(
      'to',
      `must be at most ${SCHEDULE_DAYS_MAX} days after the first date, and is ${days} days after it`,
    );
}

function assertDate(field: ScheduleField, date: string): void {
  const { issue } = calendarDateForm(date);
  if (issue !== undefined) throw new InvalidScheduleError(field, issue);
}

function checkStartTimes(times: string[]): void {
  for (const time of times) {
    if (!isStartTime(time))
      throw new InvalidScheduleError('start_times', 'must be times of the day such as 09:30');
  }
  const twice = times.find((time, i) => times.indexOf(time) !== i);
  if (twice !== undefined) throw new InvalidScheduleError('start_times', `must not name ${twice} twice`);
}

function checkExceptions(except: string[], dates: string[]): void {
  for (const date of except) {
    assertDate('except', date);
    if (!dates.includes(date))
      throw new InvalidScheduleError('except', `names ${date}, which is no date of the schedule`);
  }
}

function datesOf(every: string, from: string, to: string): string[] {
  const rule = toRecurrenceRule(every);
  const shift = shiftInYears(to);
  const options = RRule.parseString(rule);
  const found = new RRule({
    ...options,
    dtstart: new Date(Date.parse(shiftYear(from, shift))),
    until: new Date(Date.parse(shiftYear(to, shift))),
  });
  return found.all().map((date) => shiftYear(date.toISOString().slice(0, 10), -shift));
}

/**
 * The library looks for a date up to this year. `until` does not end the search: the library compares `until` only with a date that it has
 * found.
 */
const LIBRARY_YEAR_MAX = 9999;
/** After this many years the calendar repeats itself, with its days of the week and its leap years. */
const CALENDAR_CYCLE_YEARS = 400;

/**
 * Returns by how many years the dates are moved before the library expands the rule. For a rule that describes no date, the library tries
 * each day up to the year 9999. From today on, this takes 14 s. From the last 400-year cycle of the calendar on, it takes less than 1 s
 * (measured).
 */
function shiftInYears(to: string): number {
  const years = LIBRARY_YEAR_MAX - yearOf(to);
  return years - (years % CALENDAR_CYCLE_YEARS);
}

function shiftYear(date: string, years: number): string {
  return `${String(yearOf(date) + years).padStart(4, '0')}${date.slice(4)}`;
}

function yearOf(date: string): number {
  return Number(date.slice(0, 4));
}

const WEEKDAYS = /^(mon|tue|wed|thu|fri|sat|sun)$/;

function toRecurrenceRule(every: string): string {
  const text = every.trim();
  if (text.toLowerCase() === 'daily') return 'FREQ=DAILY';
  if (text.includes('=')) return checkRecurrenceRule(text.replace(/^RRULE:/i, '').toUpperCase());
  const days = text.split(',').map((day) => day.trim().toLowerCase());
  if (!days.every((day) => WEEKDAYS.test(day)))
    throw new InvalidScheduleError(
      'every',
      `must be daily, days such as mon,sat, or a rule such as ${EXAMPLE}`,
    );
  return `FREQ=WEEKLY;BYDAY=${days.map((day) => day.slice(0, 2).toUpperCase()).join(',')}`;
}

const EXAMPLE = 'FREQ=WEEKLY;INTERVAL=2;BYDAY=SA';

/** The parts of a rule that describe dates, and the values of each. */
const PARTS: Record<string, RegExp> = {
  FREQ: /^(DAILY|WEEKLY|MONTHLY|YEARLY)$/,
  INTERVAL: /^[1-9][0-9]{0,2}$/,
  BYDAY: listOf('([+-]?[1-9][0-9]?)?(MO|TU|WE|TH|FR|SA|SU)'),
  BYMONTHDAY: listOf('[+-]?([1-9]|[12][0-9]|3[01])'),
  BYMONTH: listOf('([1-9]|1[0-2])'),
  BYYEARDAY: listOf('[+-]?[1-9][0-9]{0,2}'),
  BYWEEKNO: listOf('[+-]?([1-9]|[1-4][0-9]|5[0-3])'),
  BYSETPOS: listOf('[+-]?[1-9][0-9]{0,2}'),
  WKST: /^(MO|TU|WE|TH|FR|SA|SU)$/,
};

function listOf(value: string): RegExp {
  return new RegExp(`^${value}(,${value})*$`);
}

/**
 * The parts of RFC 5545 that set the start or the end of a rule. They are refused, because `from` and `to` set these dates. A rule with
 * COUNT could not be extended to a later date.
 */
const LIMITS = ['DTSTART', 'UNTIL', 'COUNT'];

/** Checks each part, because the library ignores some unknown parts and fails on others. @returns the rule */
function checkRecurrenceRule(rule: string): string {
  const parts = rule.split(';').map((part) => part.split('='));
  for (const [name = '', value = '', ...more] of parts) {
    if (LIMITS.some((limit) => name.startsWith(limit)))
      throw new InvalidScheduleError(
        'every',
        `must not have ${name}: the first and the last date are given separately`,
      );
    const form = PARTS[name];
    if (form === undefined)
      throw new InvalidScheduleError('every', `may only have ${Object.keys(PARTS).join(', ')}`);
    if (more.length > 0 || !form.test(value)) throw new InvalidScheduleError('every', describeValue(name));
  }
  const names = parts.map(([name]) => name);
  if (new Set(names).size < names.length)
    throw new InvalidScheduleError('every', 'must have each part only once');
  checkCombination(new Map(parts as [string, string][]));
  return rule;
}

function describeValue(name: string): string {
  return name === 'FREQ'
    ? 'must have FREQ=DAILY, WEEKLY, MONTHLY or YEARLY'
    : `must have a valid ${name} (RFC 5545)`;
}

/** Values that RFC 5545 allows only with some frequencies. The library accepts them with all frequencies. */
const ONLY_WITH = [
  { part: 'BYDAY', value: /[0-9]/, frequencies: ['MONTHLY', 'YEARLY'], what: 'numbered days in BYDAY' },
  { part: 'BYMONTHDAY', value: /./, frequencies: ['DAILY', 'MONTHLY', 'YEARLY'], what: 'BYMONTHDAY' },
  { part: 'BYYEARDAY', value: /./, frequencies: ['YEARLY'], what: 'BYYEARDAY' },
  { part: 'BYWEEKNO', value: /./, frequencies: ['YEARLY'], what: 'BYWEEKNO' },
];

function checkCombination(parts: Map<string, string>): void {
  const frequency = parts.get('FREQ');
  if (frequency === undefined) throw new InvalidScheduleError('every', describeValue('FREQ'));
  const refused = ONLY_WITH.find(
    ({ part, value, frequencies }) => value.test(parts.get(part) ?? '') && !frequencies.includes(frequency),
  );
  if (refused !== undefined)
    throw new InvalidScheduleError('every', `must not have ${refused.what} with FREQ=${frequency}`);
}
