import type { Departure, Hold, Problem } from './wire.ts';

/** The codes of the problems with a hold whose departure has one of these states. */
const CODES: Partial<Record<Departure['status'], string>> = {
  closed: 'departure_gone',
  cancelled: 'departure_cancelled',
};
const ALTERNATIVES_MAX = 3;

/** Returns whether a problem says that a departure can no longer be booked. */
export function isProblemForGood({ code }: Problem): boolean {
  return Object.values(CODES).includes(code);
}

/**
 * Returns the problem with a hold whose departure was cancelled or closed, with the nearest departures that have seats for it.
 * @param isOver the hold has ended by its time. One that has lasted until its departure closed cannot be placed again.
 * @rule whether the seats of a hold can be offered again: test/element/browser/closing-departure.long.test.ts
 */
export function problemOfHold(
  departures: readonly Departure[],
  hold: Hold,
  isOver?: boolean,
): Problem | undefined {
  const { departure_date, departure_time, quantity, expires_at } = hold;
  const departure = departures.find(
    (one) => one.departure_date === departure_date && one.start_time === departure_time,
  );
  const hasClosed = isOver && departure && Date.parse(departure.closes_at) <= Date.parse(expires_at);
  const code = departure && CODES[hasClosed ? 'closed' : departure.status];
  if (!code) return undefined;
  const daysAway = (one: Departure) => Math.abs(Date.parse(one.departure_date) - Date.parse(departure_date));
  const alternatives = departures
    .filter((one) => one !== departure && one.status === 'available' && one.seats_available >= quantity)
    .sort((one, other) => daysAway(one) - daysAway(other))
    .slice(0, ALTERNATIVES_MAX)
    .map((one) => ({ ...one, departure_time: one.start_time }));
  return { code, alternatives };
}
