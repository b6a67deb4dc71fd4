import { AppError } from '../services/platform/errors';

/** The person was asked and said no. */
export class NotConfirmedError extends AppError {
  readonly code = 'not_confirmed';

  constructor() {
    super('Nothing was changed');
  }
}

export class MigrationsPendingError extends AppError {
  readonly code = 'migrations_pending';

  constructor(pending: string[]) {
    super(`The database lacks ${pending.length} migration(s), from ${pending[0]} on: run tourctl migrate`);
  }
}

/** The installation's settings do not hold together. */
export class SettingsError extends AppError {
  readonly code = 'invalid_configuration';
}

export class SecretFileError extends AppError {
  readonly code = 'file_not_written';

  constructor(file: string, reason: string) {
    super(`${file} cannot be written (${reason}), so nothing was issued`);
  }
}
