const UP_TO_SECONDS = 'YYYY-MM-DDTHH:MM:SS'.length;

/**
 * Returns the time some whole minutes after a clock reading, with the same microseconds, which a Date would drop.
 * @param at a time of SaleFacts: YYYY-MM-DDTHH:MM:SS, a fraction, Z
 */
export function addMinutes(at: string, minutes: number): string {
  const later = new Date(Date.parse(at) + minutes * 60_000).toISOString();
  return later.slice(0, UP_TO_SECONDS) + at.slice(UP_TO_SECONDS);
}

/** Returns the earlier of two times. Compares milliseconds; of times in the same millisecond it returns `limit`. */
export function earlierOf(time: string, limit: string): string {
  return Date.parse(limit) <= Date.parse(time) ? limit : time;
}
