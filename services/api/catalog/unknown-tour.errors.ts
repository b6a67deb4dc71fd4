import { AppError } from '../../platform/errors';

/** Told to operators, who may know what exists; tenants get TourNotFoundError. */
export class UnknownTourError extends AppError {
  readonly code = 'tour_not_found';

  constructor(idOrSlug: string) {
    super(`There is no tour "${idOrSlug}"`);
  }
}
