/** Days of the calendar as YYYY-MM-DD, and months as YYYY-MM. Counts in UTC, so that no time zone moves a day. */

const DAY_MS = 86_400_000;

export function monthOf(date: string): string {
  return date.slice(0, 7);
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the day of the week: 1 is Monday, 7 is Sunday. */
function weekdayOf(date: string): number {
  return new Date(date).getUTCDay() || 7;
}

/** Returns the place of a day in its week, from 0 to 6. @param first the first day of the week, from 1 to 7 */
export function placeInWeek(date: string, first: number): number {
  return (weekdayOf(date) - first + 7) % 7;
}

export function lastDayOf(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year!, number, 0)).toISOString().slice(0, 10);
}

/** Returns the day of another month with the same number, or the last day of a shorter month. */
export function sameDayIn(month: string, date: string): string {
  const last = lastDayOf(month);
  const same = month + date.slice(7);
  return same < last ? same : last;
}

/** Returns the weeks of a month. Places before its first day and after its last day are undefined. */
export function weeksOf(month: string, firstWeekday: number): (string | undefined)[][] {
  const first = `${month}-01`;
  const last = lastDayOf(month);
  const weeks: (string | undefined)[][] = [];
  for (
    let start = addDays(first, -placeInWeek(first, firstWeekday));
    start <= last;
    start = addDays(start, 7)
  ) {
    const week = [0, 1, 2, 3, 4, 5, 6].map((offset) => addDays(start, offset));
    weeks.push(week.map((day) => (monthOf(day) === month ? day : undefined)));
  }
  return weeks;
}
