import { AppError } from '../../../platform/errors';

/** Too many holds and bookings wait in this process. The client may retry. */
export class QueueOverloadedError extends AppError {
  readonly code = 'overloaded';

  constructor() {
    super('The service is overloaded. Try again in a second.');
  }
}
