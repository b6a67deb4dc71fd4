import { AppError } from '../../platform/errors';

export class DepartureNotFoundError extends AppError {
  readonly code = 'departure_not_found';

  constructor(tourSlug: string, date: string) {
    super(`${tourSlug} has no departure on ${date}`);
  }
}

export class DepartureExistsError extends AppError {
  readonly code = 'departure_exists';

  constructor(tourSlug: string, date: string) {
    super(
      `${tourSlug} already has a departure on ${date}: departure set-seats, set-price and reopen change it`,
    );
  }
}

export class SeatsTakenError extends AppError {
  readonly code = 'seats_taken';

  constructor(
    tourSlug: string,
    date: string,
    private readonly seatsTaken: number,
  ) {
    super(`${seatsTaken} seats of ${tourSlug} on ${date} are held or booked: it needs at least that many`);
  }

  override get facts(): Record<string, unknown> {
    return { seats_taken: this.seatsTaken };
  }
}
