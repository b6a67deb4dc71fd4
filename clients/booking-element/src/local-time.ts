export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** Returns the local time at an instant. Both are in milliseconds; the local time is as if it were one of UTC. */
export type LocalClock = (instant: number) => number;

/** @returns undefined: this browser does not know the time zone */
export function localClock(timeZone: string): LocalClock | undefined {
  try {
    // Swedish writes a date as ISO 8601 does.
    const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
    return (instant) => Date.parse(`${format.format(instant).replace(' ', 'T')}Z`);
  } catch {
    return undefined;
  }
}

/** Returns the first instant at which the clock shows a local time. A time that it skips is counted on from the time before. */
export function instantOf(localTime: number, clock: LocalClock): number {
  const [before, after] = [-DAY_MS, DAY_MS].map((distance) => {
    const near = localTime + distance;
    return localTime - (clock(near) - near);
  });
  return [before!, after!].find((instant) => clock(instant) === localTime) ?? before!;
}
