import { AppError } from '../errors';

/** The embedded database cannot be used. The message names the reason and the next step, and ends with the log if there is one. */
export class EmbeddedPostgresError extends AppError {
  readonly code = 'embedded_database_failed';

  constructor(problem: string, nextStep: string, log = '') {
    super([`${problem}. ${nextStep}.`, log.trim()].filter(Boolean).join('\n'));
  }
}

/** The data directory has no database. Most often DATA_DIR is not set, or wrong. */
export class NoInstallationError extends AppError {
  readonly code = 'no_installation';

  constructor(dataDir: string) {
    super(
      `No installation in ${dataDir}. Is DATA_DIR set? Only tourctl up, migrate, seed and restore create one`,
    );
  }
}
