import { AppError } from '../../platform/errors';

export class TenantNotFoundError extends AppError {
  readonly code = 'tenant_not_found';

  constructor(slug: string) {
    super(`There is no tenant "${slug}"`);
  }
}

export class TenantSlugTakenError extends AppError {
  readonly code = 'tenant_slug_taken';

  constructor(slug: string) {
    super(`The tenant "${slug}" exists already`);
  }
}

export class BookingPrefixTakenError extends AppError {
  readonly code = 'booking_prefix_taken';

  constructor(prefix: string) {
    super(`The booking prefix ${prefix} belongs to another tenant`);
  }
}

export class HoldLengthsError extends AppError {
  readonly code = 'invalid_hold_lengths';

  constructor(defaultMinutes: number, maxMinutes: number) {
    super(
      `A hold of ${defaultMinutes} minutes by default would be longer than the ${maxMinutes} minutes allowed`,
    );
  }
}

export class TooManyOriginsError extends AppError {
  readonly code = 'too_many_origins';

  constructor(limit: number) {
    super(`A list of origins holds ${limit} at most`);
  }
}

export class LinkTemplateRefusedError extends AppError {
  readonly code = 'link_template_refused';

  constructor(status: string) {
    super(
      `A link to http://localhost is for development: only a tenant on trial may have it, and this one is ${status}: give an https:// address`,
    );
  }
}

/** An instance of a release without selling currencies would sell in the currency of the tour. */
export class EarlierReleaseSellsError extends AppError {
  readonly code = 'earlier_release_runs';

  constructor() {
    super(
      'An instance of an earlier release still runs, which does not convert prices; nothing was written. Update or stop it, wait a ' +
        'minute, and try again',
    );
  }
}

/** The text is not a valid origin for the widget. The message names the reason and a valid form. */
export class OriginRefusedError extends AppError {
  readonly code = 'origin_refused';

  constructor(
    readonly origin: string,
    readonly reason: string,
  ) {
    super(`The origin ${JSON.stringify(origin)} is refused: ${reason}`);
  }
}
