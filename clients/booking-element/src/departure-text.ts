import type { Formats } from './formats.ts';

/** Returns the date of a departure, with its start time if it has one. Keeps the time on one line. */
export function departureText(
  { departure_date, departure_time }: { departure_date: string; departure_time: string | null },
  formats: Formats,
): string {
  const date = formats.date(departure_date);
  return departure_time === null ? date : `${date}, ${formats.time(departure_time)}`;
}
