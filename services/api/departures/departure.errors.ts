import { AppError } from '../../platform/errors';
import type { WantedSeats } from './departure';

/** Another departure of the same tour with enough free seats. */
export interface Alternative {
  departureDate: string;
  /** HH:MM; null: none. */
  departureTime: string | null;
  seatsAvailable: number;
}

abstract class DepartureNotAvailableError extends AppError {
  /** Set by addAlternatives. */
  alternatives: Alternative[] = [];

  constructor(
    message: string,
    /** The refused request. */
    readonly wanted: WantedSeats,
  ) {
    super(message);
  }

  override get facts(): Record<string, unknown> {
    const alternatives = this.alternatives.map((other) => ({
      departure_date: other.departureDate,
      departure_time: other.departureTime,
      seats_available: other.seatsAvailable,
    }));
    return { alternatives };
  }
}

/** The departure does not exist, is past, or is closed for booking. */
export class DepartureGoneError extends DepartureNotAvailableError {
  readonly code = 'departure_gone';

  constructor(wanted: WantedSeats) {
    super(
      'The tour has no departure on this date, or at this time of the date, that can still be booked.',
      wanted,
    );
  }
}

export class DepartureCancelledError extends DepartureNotAvailableError {
  readonly code = 'departure_cancelled';

  constructor(wanted: WantedSeats) {
    super('The departure was cancelled.', wanted);
  }
}

export class InsufficientSeatsError extends DepartureNotAvailableError {
  readonly code = 'insufficient_seats';

  constructor(
    wanted: WantedSeats,
    readonly seatsAvailable: number,
    /** The code of the resource that leaves the fewest seats, for operators only. Null: the seats of the departure are the limit. */
    readonly resource: string | null = null,
  ) {
    super('The departure has too few free seats.', wanted);
  }

  /** The end of a sentence with the free seats, for operators only. Empty: no resource is the limit. */
  get because(): string {
    return this.resource === null ? '' : `, because of the resource ${this.resource}`;
  }

  override get facts(): Record<string, unknown> {
    return { seats_available: this.seatsAvailable, ...super.facts };
  }
}

/** A lock of another write, most often that of the departure, was not free within two seconds. The client may retry. */
export class DepartureBusyError extends AppError {
  readonly code = 'departure_busy';

  constructor(
    message = 'Many requests are taking seats of this departure right now. Try again in a second.',
  ) {
    super(message);
  }
}

export function isDepartureNotAvailable(error: unknown): error is DepartureNotAvailableError {
  return error instanceof DepartureNotAvailableError;
}
