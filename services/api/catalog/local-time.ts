import { AppError } from '../../platform/errors';
import { DAY_MS } from '../../platform/forms/days';

const MINUTE_MS = 60_000;

/**
 * A change of the clocks skips a time that an operator gives. Only the terminal shows this error.
 * @rule a local time that its date does not have is refused: test/cli/pickups.test.ts
 */
export class SkippedTimeError extends AppError {
  readonly code: `${'start' | 'pickup'}_time_skipped`;

  /** @param local the time HH:MM of the date YYYY-MM-DD */
  constructor(kind: 'start' | 'pickup', { date, time }: { date: string; time: string }, timeZone: string) {
    super(`clocks in ${timeZone} do not show ${time} on ${date}: they are put forward over it`);
    this.code = `${kind}_time_skipped`;
  }
}

/** Returns the instants at which the clocks of a time zone show a local time, RFC 3339 in UTC, the earliest first. */
export type InstantsOf = (date: string, time: string) => string[];

/** Returns a local time with the offset of its time zone: `2027-03-06T12:00:00+07:00`. */
export type ToLocalTime = (date: string, time: string) => string;

/**
 * Returns the function that adds the offset of a time zone to a local time. If the clock shows the time twice, uses the first offset. If
 * the clock skips the time, returns the later time that the clock shows, as PostgreSQL does: 03:30 for 02:30. Call localTimeIn once for
 * all dates of a tour: creating the formatter takes longer than using it.
 * @param timeZone IANA name
 */
export function localTimeIn(timeZone: string): ToLocalTime {
  const offsetAt = offsetsOf(timeZone);
  const offsetsAround = offsetsAroundDates(offsetAt);
  return (date, time) => {
    const asUtc = Date.parse(`${date}T${time}Z`);
    const instantBy = (offset: string) => asUtc - toMs(offset);
    const [before, after] = offsetsAround(date);
    // A time that the clock shows twice exists with both offsets; the offset before the change is used. A time that the clock skips exists
    // with neither offset.
    const isByOffsetAfter = before !== after && offsetAt(instantBy(before)) !== before;
    const isSkipped = isByOffsetAfter && offsetAt(instantBy(after)) !== after;
    if (!isSkipped) return `${date}T${time}${isByOffsetAfter ? after : before}`;
    return withOffset(instantBy(before), after);
  };
}

/**
 * Returns the function that finds all instants of a local time: none for a time that a change of the clocks skips, and two for one that the
 * clocks show twice. Call instantsIn once for all times of a file, as localTimeIn.
 * @param timeZone IANA name
 */
export function instantsIn(timeZone: string): InstantsOf {
  const offsetAt = offsetsOf(timeZone);
  const offsetsAround = offsetsAroundDates(offsetAt);
  return (date, time) => {
    const asUtc = Date.parse(`${date}T${time}Z`);
    return [...new Set(offsetsAround(date))]
      .map((offset) => ({ offset, instant: asUtc - toMs(offset) }))
      .filter(({ offset, instant }) => offsetAt(instant) === offset)
      .map(({ instant }) => instant)
      .sort((a, b) => a - b)
      .map((instant) => new Date(instant).toISOString());
  };
}

/**
 * Returns the function that shows an instant, in milliseconds, as the local time of a time zone with its offset. Call instantIn once for all
 * instants of a tour, as localTimeIn.
 * @param timeZone IANA name
 */
export function instantIn(timeZone: string): (instant: number) => string {
  const offsetAt = offsetsOf(timeZone);
  return (instant) => withOffset(instant, offsetAt(instant));
}

/** Returns the function that finds the offset of a time zone at an instant: `+07:00`. */
function offsetsOf(timeZone: string): (instant: number) => string {
  const formatter = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (instant) => {
    const name = formatter.formatToParts(instant).find(({ type }) => type === 'timeZoneName')!.value;
    return name.slice('GMT'.length) || '+00:00';
  };
}

type Offsets = [before: string, after: string];

/**
 * Returns a function that finds the offset before a date and the offset after it. If the clock changes on the date, the change lies between
 * the two. The function formats each date only once, because formatting takes 2 µs and a date may have many departures.
 */
function offsetsAroundDates(offsetAt: (instant: number) => string): (date: string) => Offsets {
  const known = new Map<string, Offsets>();
  return (date) => {
    const found = known.get(date);
    if (found) return found;
    // Takes instants that are before and after the date in every zone: no zone is more than 14 hours ahead of UTC, or 12 hours behind it.
    const midnight = Date.parse(`${date}T00:00:00Z`);
    const offsets: Offsets = [offsetAt(midnight - DAY_MS), offsetAt(midnight + 2 * DAY_MS)];
    known.set(date, offsets);
    return offsets;
  };
}

function withOffset(instant: number, offset: string): string {
  return new Date(instant + toMs(offset)).toISOString().slice(0, '2027-03-06T12:00:00'.length) + offset;
}

function toMs(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset)!;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}
