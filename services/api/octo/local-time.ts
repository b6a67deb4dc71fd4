const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Returns a local time with the offset of its time zone: `2027-03-06T12:00:00+07:00`. */
export type ToLocalTime = (date: string, time: string) => string;

/**
 * Returns the reader of local times. A time that comes twice, because the clock goes back, is its first; a time that the clock skips is
 * the one that it shows instead: 03:30 for 02:30, as PostgreSQL reads it.
 * @param timeZone IANA name. Creating the formatter takes longer than its use, so one serves all dates of a tour
 */
export function localTimeIn(timeZone: string): ToLocalTime {
  const formatter = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const offsetAt = (instant: number) => {
    const name = formatter.formatToParts(instant).find(({ type }) => type === 'timeZoneName')!.value;
    return name.slice('GMT'.length) || '+00:00';
  };
  return (date, time) => {
    const asUtc = Date.parse(`${date}T${time}Z`);
    const instantBy = (offset: string) => asUtc - toMs(offset);
    // A day before and after in UTC is before and after any change of the clock on the local day.
    const [before, after] = [offsetAt(asUtc - DAY_MS), offsetAt(asUtc + DAY_MS)];
    // A time that comes twice has both offsets, and its first is by the one before. A time that is skipped has neither.
    const isByOffsetAfter = before !== after && offsetAt(instantBy(before)) !== before;
    const isSkipped = isByOffsetAfter && offsetAt(instantBy(after)) !== after;
    if (!isSkipped) return `${date}T${time}${isByOffsetAfter ? after : before}`;
    return withOffset(instantBy(before), after);
  };
}

function withOffset(instant: number, offset: string): string {
  return new Date(instant + toMs(offset)).toISOString().slice(0, '2027-03-06T12:00:00'.length) + offset;
}

function toMs(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset)!;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}
