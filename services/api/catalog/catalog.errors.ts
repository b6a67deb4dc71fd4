import { AppError } from '../../platform/errors';

/** Unknown, not published, or not visible to this tenant: the caller cannot tell which. */
export class TourNotFoundError extends AppError {
  override readonly name = 'TourNotFoundError';
  readonly code = 'tour_not_found' as const;

  constructor() {
    super('No tour that you can see has this id or slug.');
  }
}
