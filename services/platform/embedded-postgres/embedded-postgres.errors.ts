import { AppError } from '../errors';

/** The embedded database cannot be used. The message names the reason and the next step, and ends with the log if there is one. */
export class EmbeddedPostgresError extends AppError {
  readonly code = 'embedded_database_failed';

  constructor(problem: string, nextStep: string, log = '') {
    super([`${problem}. ${nextStep}.`, log.trim()].filter(Boolean).join('\n'));
  }
}
