import { existsSync } from 'node:fs';
import path from 'node:path';
import { AnswersMissingError } from '../../services/api/bookings/booking.errors';
import { InsufficientSeatsError } from '../../services/api/departures/departure.errors';
import { IdempotencyKeyReusedError } from '../../services/api/idempotency/idempotency.errors';
import { ResourceBusyError } from '../../services/api/resources/busy-trips';
import {
  AppError,
  databaseReason,
  InputError,
  isDatabaseAway,
  isSilent,
  LOCK_NOT_AVAILABLE,
  sqlState,
} from '../../services/platform/errors';
import { refusalOf } from '../../services/platform/people/refusal';
import { CancelledError, type Io, ReaderGoneError } from '../terminal/io';
import type { Output } from '../terminal/output';
import { countOf } from '../terminal/text';

/** Exit codes: docs/terminal.md lists them; 130 is the shells' code for Ctrl-C. */
export const EXIT = { done: 0, refused: 1, usage: 2, interrupted: 130 } as const;

/** Codes of errors that depend only on arguments, the clock and the configuration: exit 2, not 1. */
const WRONG_ARGUMENTS: ReadonlySet<string> = new Set([
  'invalid_webhook_url',
  'departure_time_missing',
  'pay_by_past',
  'time_ends_before_start',
]);

/** Writes the error to stderr and returns the exit code when the reader has taken it. */
export async function fail(error: unknown, output: Output, path: string): Promise<number> {
  if (error instanceof CancelledError) {
    await output.error('interrupted', error.message || `Interrupted${output.describeWaiting()}`);
    return EXIT.interrupted;
  }
  if (error instanceof UsageError) return usage(error.message, output, error.hint ?? seeHelp(path));
  if (isCommanderError(error)) {
    // Joins the lines, because Commander puts its suggestion on a second line.
    const message = error.message.replace(/^error: /, '').replace('\n', ' ');
    return usage(message, output, seeHelp(path));
  }
  const { code, message } = describeError(error);
  const hasFacts = error instanceof ResourceBusyError || error instanceof AnswersMissingError;
  const facts = hasFacts ? error.facts : undefined;
  await output.error(code, message, undefined, facts);
  return WRONG_ARGUMENTS.has(code) ? EXIT.usage : EXIT.refused;
}

/** Returns if the error is a normal end: the help was shown, or the reader of stdout has closed the pipe. Throws all other errors. */
export function acceptNormalEnd(error: unknown): void {
  if (error instanceof ReaderGoneError || (isCommanderError(error) && error.exitCode === 0)) return;
  throw error;
}

async function usage(message: string, output: Output, hint: string): Promise<number> {
  await output.error('usage_error', message, hint);
  return EXIT.usage;
}

function seeHelp(path: string): string {
  return `See ${path} --help`;
}

export function describeError(error: unknown): { code: string; message: string } {
  const refusal = error instanceof AppError ? error : refusalOf(error);
  if (refusal) return { code: refusal.code, message: messageOf(refusal) };
  const state = sqlState(error);
  if (state === LOCK_NOT_AVAILABLE || state === '57014') {
    return { code: 'database_busy', message: 'Another process is changing this now: try again' };
  }
  if (LOGIN_REFUSED.test(state ?? '')) {
    return { code: 'login_refused', message: `The database: ${databaseReason(error)}: ${CHECK_LOGIN}` };
  }
  const loss = describeLoss(error);
  if (loss) return { code: UNREACHABLE, message: `The database${loss}: ${CHECK_DATABASE}` };
  return { code: 'internal_error', message: state ? describeDatabaseError(error, state) : firstLine(error) };
}

/** Returns why no answer of the database came. Undefined: it is another error. */
function describeLoss(error: unknown): string | undefined {
  const { name, syscall } = (error ?? {}) as { name?: string; syscall?: string };
  if (isSilent(error) || name === 'KnexTimeoutError') return ' does not answer within five seconds';
  return isDatabaseAway(error) || syscall === 'connect' ? `: ${databaseReason(error)}` : undefined;
}

/** Returns the message of a refusal, with all its issues, with flags where the one for REST names fields, and with what only an operator may know. */
function messageOf(refusal: AppError): string {
  if (refusal instanceof InputError && refusal.errors.length > 1)
    return refusal.errors.map(({ field, message }) => `${field} ${message}`).join('; ');
  if (refusal instanceof AnswersMissingError) return describeMissing(refusal);
  if (refusal instanceof InsufficientSeatsError) return describeSeatsLeft(refusal);
  if (refusal instanceof IdempotencyKeyReusedError)
    return 'This --request-id was used for another sale in the last 7 days: use a new one for a new sale';
  return refusal.message;
}

function describeMissing({ missing }: AnswersMissingError): string {
  const names = missing.map(({ code, traveller }) =>
    traveller === null ? code : `${code} (traveller ${traveller})`,
  );
  const list = names.join(', ');
  return `Required answers are missing: ${list}. Add them by tourctl booking change, or confirm with --despite-missing`;
}

function describeSeatsLeft({ seatsAvailable, because }: InsufficientSeatsError): string {
  return `The departure has too few free seats: ${countOf(seatsAvailable, 'seat')} left${because}`;
}

/**
 * SQLSTATEs whose reason a person needs and can read: a feature that this server lacks (0A), a missing right (42501), no space, memory or
 * connections (53), a limit (54), a state (55), a stop (57), and the server's system (58).
 */
const ABOUT_THE_SERVER = /^(0A|42501|53|54|55|57|58)/;

/** Describes a database error. The reason of any other error is left out: it has SQL, names of constraints and values of rows. */
function describeDatabaseError(error: unknown, state: string): string {
  if (ABOUT_THE_SERVER.test(state)) return `The database: ${databaseReason(error)}`;
  return `The database refused this (SQLSTATE ${state}). The log of the database server has the reason`;
}

export function isDatabaseLost(error: unknown): boolean {
  return describeError(error).code === UNREACHABLE;
}

const UNREACHABLE = 'database_unreachable';
/** The class of SQLSTATE of a login that the server refuses: a wrong password, a removed login, or one whose time is over. */
const LOGIN_REFUSED = /^28/;
const CHECK_LOGIN =
  'check user and password of DATABASE_URL; a person who was removed, or whose time is over, has no login';
/** The next step if no connection to the database works. */
export const CHECK_DATABASE = 'check that its server runs, and DATABASE_URL';

/** Matches the statement that Knex writes into its own errors, which have no SQLSTATE. */
const HAS_STATEMENT =
  /^(select|insert|update|delete|with|begin|set|lock|call|alter|create|drop)\s[^]* - |^Undefined binding/i;

function firstLine(error: unknown): string {
  const { message } = (error ?? {}) as { message?: string };
  const text = String(message ?? error);
  const reason = HAS_STATEMENT.test(text) ? 'A statement of the database failed' : text;
  return reason.split('\n')[0]!;
}

function isCommanderError(error: unknown): error is Error & { exitCode: number } {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('commander.');
}

/** Signals a wrong command line: exit 2. The message names the flag and its valid values. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  /** @param hint printed below the message instead of the reference to the help */
  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** Refuses a command line with all its mistakes, one in each line. @throws UsageError if there is a mistake */
export function refuseMistakes(found: readonly (string | false | undefined)[]): void {
  const mistakes = found.filter(Boolean);
  if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'));
}

/** Signals that the person answered no. */
export class NotConfirmedError extends AppError {
  readonly code = 'not_confirmed';

  constructor() {
    super('Nothing was changed');
  }
}

export class MigrationsPendingError extends AppError {
  readonly code = 'migrations_pending';

  constructor(pending: string[]) {
    super(
      `The database lacks ${countOf(pending.length, 'migration')}, from ${pending[0]} on: run tourctl migrate`,
    );
  }
}

/** Signals that DATA_DIR has no database. Most often the command runs in a folder without the .env of the installation. */
export class NoInstallationError extends AppError {
  readonly code = 'no_installation';

  constructor(dataDir: string, { root, envFile }: Pick<Io, 'root' | 'envFile'>) {
    const settings = path.join(root, '.env');
    const cure =
      envFile !== settings && existsSync(settings)
        ? `The settings are in ${settings}: cd ${root} first`
        : 'Set DATA_DIR or DATABASE_URL, or cd to the folder whose .env sets one of them';
    super(`No installation in ${dataDir}. ${cure}. To create one in ${dataDir}: tourctl up`);
  }
}

export class SettingsError extends AppError {
  readonly code = 'invalid_configuration';
}

export class FileNotWrittenError extends AppError {
  readonly code = 'file_not_written';

  /** @param more the consequence, and the next step */
  constructor(file: string, reason: string, more = '') {
    super(`${file} cannot be written (${reason})${more}`);
  }
}
