import { InvalidInputError, type InputPlace } from '../../platform/errors';

/** The fields that chooseDeparture needs of each departure of a date. */
export interface DatedDeparture {
  id: string;
  /** HH:MM: the departure's own start time, or that of its tour. Null: no start time, so it is the only departure of its date. */
  startTime: string | null;
  /** True: the departure is not past, closed or cancelled. It may be sold out, or the choice would depend on the last seat. */
  open: boolean;
}

/** The departure that a request names. */
export interface DepartureChoice {
  /** Null: there is no such departure, or the request names no time and must choose among several (`times`). */
  departureId: string | null;
  /** The start times among which a request without a time must choose. Empty: it does not have to choose. */
  times: string[];
}

/** A choice among the departures of a date. */
export interface ChoiceOfDate extends DepartureChoice {
  /** True: the request names no time, and the date has several departures, open or not. */
  isOneOfSeveral: boolean;
}

/**
 * Chooses the departure that a request names. With a time, it is the departure that starts at this time. Without a time, it is the only
 * open departure of the date. If none is open, it is the only departure of the date.
 * @param found all departures of the date, in the order of their times
 * @param time HH:MM
 * @rule which departure a request without a time means: test/api/several-departures.test.ts
 */
export function chooseDeparture(found: DatedDeparture[], time: string | undefined): ChoiceOfDate {
  if (time !== undefined) {
    const named = found.find(({ startTime }) => startTime === time);
    return { departureId: named?.id ?? null, times: [], isOneOfSeveral: false };
  }
  const isOneOfSeveral = found.length > 1;
  const open = found.filter((one) => one.open);
  const left = open.length > 0 ? open : found;
  if (left.length > 1)
    return { departureId: null, times: left.map(({ startTime }) => startTime!), isOneOfSeveral };
  return { departureId: left[0]?.id ?? null, times: [], isOneOfSeveral };
}

/** The date has several departures, and the request names no time. */
export class DepartureTimeMissingError extends InvalidInputError {
  constructor(place: InputPlace, times: string[]) {
    super(place, 'departure_time', `must name one of the departures of this date: ${times.join(', ')}`);
  }
}

/**
 * Refuses a request that names no time and must choose among several departures.
 * @throws DepartureTimeMissingError, whose message lists the times (400)
 */
export function assertNotSeveral({ times }: Pick<DepartureChoice, 'times'>, place: InputPlace): void {
  if (times.length > 0) throw new DepartureTimeMissingError(place, times);
}
