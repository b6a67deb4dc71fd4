import { AppError } from '../../platform/errors';

export class BackupNotWrittenError extends AppError {
  readonly code = 'file_not_written';

  constructor(file: string, reason: string) {
    super(`${file} cannot be written (${reason}): name another file with --out`);
  }
}

export class BackupNotReadError extends AppError {
  readonly code = 'file_not_read';

  constructor(file: string, reason: string) {
    super(`${file} cannot be read (${reason}): name the file of a backup`);
  }
}

/** The checksum in the file is not the checksum of its bytes. */
export class BackupDamagedError extends AppError {
  readonly code = 'backup_damaged';

  constructor(file: string) {
    super(`${file} is not a complete backup: it was truncated or changed, so use another copy of it`);
  }
}

/** The file is complete, but its content is not that of a backup. */
export class BackupInvalidError extends AppError {
  readonly code = 'backup_invalid';

  constructor(file: string, what: string) {
    super(`${file} is not a valid backup: ${what}. Nothing was changed: use another file`);
  }
}

export class BackupNewerError extends AppError {
  readonly code = 'backup_newer';

  constructor(file: string, what: string) {
    super(`${file} was made by a later version (${what}): upgrade this installation, then restore`);
  }
}

export class DatabaseNotEmptyError extends AppError {
  readonly code = 'database_not_empty';

  constructor(table: string) {
    super(
      `A backup is restored into an empty database, and this one has rows in ${table}: ` +
        'name a new database in DATABASE_URL, or a new directory in DATA_DIR',
    );
  }
}

export class ServicesRunningError extends AppError {
  readonly code = 'services_running';

  constructor(count: number) {
    super(
      `${count === 1 ? 'A service uses' : `${count} services use`} this database: stop all services, wait 15 seconds, and restore again. Nothing was changed`,
    );
  }
}

/** The restored rows are not the same as those of the backup. */
export class RestoreDiffersError extends AppError {
  readonly code = 'restore_differs';

  constructor(what: string) {
    super(`${what}. Nothing was restored: check the disk and the server, and restore again`);
  }
}
