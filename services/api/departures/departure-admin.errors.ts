import { AppError } from '../../platform/errors';

export class DepartureNotFoundError extends AppError {
  override readonly name = 'DepartureNotFoundError';
  readonly code = 'departure_not_found' as const;

  constructor(tourSlug: string, date: string) {
    super(`${tourSlug} has no departure on ${date}`);
  }
}

export class SeatsTakenError extends AppError {
  override readonly name = 'SeatsTakenError';
  readonly code = 'seats_taken' as const;

  constructor(
    tourSlug: string,
    date: string,
    private readonly seatsTaken: number,
  ) {
    super(`${seatsTaken} seats of ${tourSlug} on ${date} are held or booked: it cannot have fewer`);
  }

  override get facts(): Record<string, unknown> {
    return { seats_taken: this.seatsTaken };
  }
}
