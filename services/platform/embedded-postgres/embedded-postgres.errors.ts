import { AppError } from '../errors';

/** The embedded database cannot be used. The message says why and what to do, and ends with the log where there is one. */
export class EmbeddedPostgresError extends AppError {
  readonly code = 'embedded_database_failed';

  constructor(problem: string, whatToDo: string, log = '') {
    super([`${problem}. ${whatToDo}.`, log.trim()].filter(Boolean).join('\n'));
  }
}
