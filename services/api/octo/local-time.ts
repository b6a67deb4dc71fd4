const MINUTE_MS = 60_000;

/** Returns a local time with the offset of its time zone: `2027-03-06T12:00:00+07:00`. */
export type ToLocalTime = (date: string, time: string) => string;

/** @param timeZone IANA name. Creating the formatter takes longer than its use, so one serves all dates of a tour */
export function localTimeIn(timeZone: string): ToLocalTime {
  const formatter = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const offsetAt = (instant: number) => {
    const name = formatter.formatToParts(instant).find(({ type }) => type === 'timeZoneName')!.value;
    return name.slice('GMT'.length) || '+00:00';
  };
  return (date, time) => {
    const asUtc = Date.parse(`${date}T${time}Z`);
    // The offset of the instant that has the offset found first: right on both sides of a change of the clock.
    const offset = offsetAt(asUtc - toMinutes(offsetAt(asUtc)) * MINUTE_MS);
    return `${date}T${time}${offset}`;
  };
}

function toMinutes(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset)!;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
