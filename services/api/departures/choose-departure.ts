import { InvalidInputError, type InputPlace } from '../../platform/errors';

/** A departure of one date, as far as the choice among several needs it. */
export interface DatedDeparture {
  id: string;
  /** HH:MM: its own, or that of its tour. Null: none, so it is the only one of its date. */
  startTime: string | null;
  /** It is not past, closed or cancelled. It may be sold out. */
  open: boolean;
}

/** The departure that a request names. */
export interface DepartureChoice {
  /** Null: none leaves then, or several do and the request names no time. */
  departureId: string | null;
  /** The start times among which a request without a time must choose; otherwise empty. */
  times: string[];
}

/**
 * Chooses the departure that a request names. With a time it is the departure that leaves then. Without a time it is the only departure
 * of the date; past, closed and cancelled ones are left out if another one is open.
 * @param found all departures of the date, in the order of their times
 * @param time HH:MM
 */
export function chooseDeparture(found: DatedDeparture[], time: string | undefined): DepartureChoice {
  if (time !== undefined) {
    const named = found.find(({ startTime }) => startTime === time);
    return { departureId: named?.id ?? null, times: [] };
  }
  const open = found.filter((one) => one.open);
  const left = open.length > 0 ? open : found;
  if (left.length > 1) return { departureId: null, times: left.map(({ startTime }) => startTime!) };
  return { departureId: left[0]?.id ?? null, times: [] };
}

/** The date has several departures, and the request names no time. */
export class DepartureTimeMissingError extends InvalidInputError {
  constructor(place: InputPlace, times: string[]) {
    super(place, 'departure_time', `must name one of the departures of this date: ${times.join(', ')}`);
  }
}

/**
 * Checks that the request does not have to choose among several departures.
 * @throws DepartureTimeMissingError, whose message lists the times (400)
 */
export function assertNotSeveral({ times }: Pick<DepartureChoice, 'times'>, place: InputPlace): void {
  if (times.length > 0) throw new DepartureTimeMissingError(place, times);
}
