import { AppError } from '../../platform/errors';

/**
 * The departure uses other resources than before the lock. The transaction is repeated, and then locks these. Only the terminal shows this
 * error, after three tries: the queue of requests repeats a change until its two seconds end.
 */
export class ResourcesChangedError extends AppError {
  readonly code = 'departure_busy';

  constructor() {
    super('The resources of the departure have changed during each of three tries. Try again in a second.');
  }

  override get repeatsTransaction(): boolean {
    return true;
  }
}

/** An operator named an unknown resource. */
export class ResourceNotFoundError extends AppError {
  readonly code = 'resource_not_found';

  constructor(code: string) {
    super(`There is no resource "${code}"`);
  }
}

/** Another resource has the code. */
export class ResourceExistsError extends AppError {
  readonly code = 'resource_exists';

  constructor(code: string) {
    super(`There is a resource "${code}" already: tourctl resource set ${code} changes it`);
  }
}

/** PostgreSQL does not know the time zone. */
export class UnknownTimeZoneError extends AppError {
  readonly code = 'time_zone_unknown';

  constructor() {
    super('The time zone must be an IANA name such as Asia/Ho_Chi_Minh');
  }
}

/** The end of a time of a resource is not after its start. */
export class TimeEndsBeforeStartError extends AppError {
  readonly code = 'time_ends_before_start';

  constructor() {
    super('--to must be after --from. The day of --to is included');
  }
}

/** More units are closed than there are. */
export class TooManyUnitsError extends AppError {
  readonly code = 'too_many_units';

  constructor(code: string, units: number) {
    super(`${code} has units: ${units}. --units must not be more`);
  }
}

/** A tour, or a departure to come, uses the resource. */
export class ResourceUsedError extends AppError {
  readonly code = 'resource_used';

  /** @param users names of tours and departures, the first ones */
  constructor(code: string, users: string[]) {
    super(`${code} is used by ${users.join(', ')}. Take it out of their uses first`);
  }
}
