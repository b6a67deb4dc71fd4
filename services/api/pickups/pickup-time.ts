import { type ChosenPickup, type PickupStart, startKey } from './pickup';

/** When a guest is fetched. */
export interface PickupTime {
  /** HH:MM in the time zone of the tour. Null: it is not known. */
  time: string | null;
  /** Null: it is not known. */
  at: Date | null;
}

const UNKNOWN: PickupTime = { time: null, at: null };
const MINUTE_MS = 60_000;

/**
 * Returns when a guest is fetched: at the time that the operator has set for this start or, at a point, so many minutes before the start. A
 * place, and a departure without a time, have none until it is set.
 * @param instantOf returns the instant of a local date and time (localTimeIn)
 * @rule when the guests of a booking are fetched: test/cli/pickups.test.ts
 */
export function pickupTime(
  chosen: ChosenPickup,
  start: PickupStart,
  timeZone: string,
  instantOf: (date: string, time: string) => string,
): PickupTime {
  const { set, minutes_before: minutes } = chosen;
  if (set && set.start === startKey(start)) return timeAt(new Date(set.at), timeZone);
  const { departureDate: date, departureTime: time } = start;
  if (minutes === null || date === null || time === null) return UNKNOWN;
  const startsAt = Date.parse(instantOf(date, `${time}:00`));
  return timeAt(new Date(startsAt - minutes * MINUTE_MS), timeZone);
}

function timeAt(at: Date, timeZone: string): PickupTime {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return { time: clock.format(at), at };
}

/** Returns the time so many minutes before another one of the day, HH:MM. */
export function minutesEarlier(time: string, minutes: number): string {
  const [hours, mins] = time.split(':').map(Number) as [number, number];
  const day = 24 * 60;
  const total = (((hours * 60 + mins - minutes) % day) + day) % day;
  return `${String(Math.floor(total / 60)).padStart(2, '0')}:${String(total % 60).padStart(2, '0')}`;
}
