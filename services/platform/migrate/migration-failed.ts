import { AppError, databaseReason, DEADLOCK, isDatabaseAway, LOCK_NOT_AVAILABLE, sqlState } from '../errors';
import { listMigrations } from './migration-files';
import { requiresStoppedInstances } from './running-instances';

/** The server refused a statement of a migration, or the connection was lost. */
class MigrationFailedError extends AppError {
  readonly code = 'migration_failed';

  /** @param wayOut says what was applied, and what to do next */
  constructor(name: string, error: unknown, wayOut: string) {
    super(`Migration ${name} failed: ${sentenceOf(error)}\n${wayOut}`);
  }
}

/** Another transaction holds a lock of a table that a migration needs. */
class TablesInUseError extends AppError {
  readonly code = 'tables_in_use';

  constructor(name: string, wayOut: string) {
    super(
      `Migration ${name} needs a table that a long transaction holds. Find it in pg_stat_activity, let it end, and migrate again.\n${wayOut}`,
    );
  }
}

/** Returns true if the server did not grant a lock. */
export function isLockRefused(error: unknown): boolean {
  return [LOCK_NOT_AVAILABLE, DEADLOCK].includes(sqlState(error) ?? '');
}

/**
 * Returns the error to throw if a migration fails that has a transaction of its own. A lost connection has an error of its own.
 * @param applied the migrations of this run that stay applied
 * @rule an error of a migration says what was applied: test/platform/failed-migration.long.test.ts
 */
export function explainMigrationFailure(name: string, error: unknown, applied: readonly string[]): unknown {
  if (error instanceof AppError || isDatabaseAway(error)) return error;
  const wayOut = [
    applied.length > 0 ? `Applied before it in this run: ${applied.join(', ')}` : 'This run applied no other',
    `To go on, remove the cause and run tourctl migrate again: it begins with ${name}`,
    `To go back, ${wayBack([...applied, name])}`,
  ].join('\n');
  return isLockRefused(error)
    ? new TablesInUseError(name, wayOut)
    : new MigrationFailedError(name, error, wayOut);
}

/** Returns the error to throw if a migration fails in a transaction with other work, which is rolled back. */
export function explainRolledBack(name: string, error: unknown): unknown {
  if (isDatabaseAway(error) || isLockRefused(error)) return error;
  return new MigrationFailedError(name, error, 'Nothing was changed: remove the cause, and try again');
}

/**
 * Says how to return to the version before the run. After an update that is not rolling, it cannot use this database.
 * @param tried the migrations of the run, with the failed one at the end
 */
function wayBack(tried: readonly string[]): string {
  if (tried[0] === listMigrations()[0]) return 'begin with an empty database';
  const applied = tried.slice(0, -1);
  if (applied.some(requiresStoppedInstances))
    return 'restore the backup from before the update with the version before';
  return 'start the version before on this database';
}

/** SQLSTATEs of wrong values. The server quotes the value, which may be a customer's. */
const QUOTES_A_VALUE = /^22/;

/** Returns the server's sentence with its SQLSTATE, without values of rows. */
function sentenceOf(error: unknown): string {
  const state = sqlState(error);
  const reason = databaseReason(error);
  if (state === undefined) return reason;
  const sentence = QUOTES_A_VALUE.test(state) ? reason.replaceAll(/".*"/g, '"…"') : reason;
  return `${sentence} (SQLSTATE ${state})`;
}
