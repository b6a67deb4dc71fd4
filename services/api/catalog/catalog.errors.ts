import { AppError } from '../../platform/errors';

/** The tour is unknown, not published, or not visible to this tenant. The answer does not reveal which of these is true. */
export class TourNotFoundError extends AppError {
  readonly code = 'tour_not_found';

  constructor() {
    super('No tour that you can see has this id or slug.');
  }
}
