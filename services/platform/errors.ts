/**
 * An expected refusal of the domain. It has a code and further fields (`facts`), but no HTTP status and no exit code:
 * services/api/http/problems.ts and cli/engine/failure.ts translate it.
 */
export abstract class AppError extends Error {
  abstract readonly code: string;

  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }

  /** Further fields for the caller, in wire names. */
  get facts(): Record<string, unknown> {
    return {};
  }

  /** True: inTransaction repeats the transaction before it throws the error. */
  get repeatsTransaction(): boolean {
    return false;
  }
}

/**
 * SQLSTATEs: a lock was not granted in time, a deadlock, a server that starts or stops, a write on a read-only server, and a client that
 * found no server.
 */
export const LOCK_NOT_AVAILABLE = '55P03';
export const DEADLOCK = '40P01';
export const CANNOT_CONNECT_NOW = '57P03';
export const READ_ONLY = '25006';
export const CANNOT_CONNECT = '08001';

/** Returns the SQLSTATE of a database error; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

const NETWORK = /^E(CONN[A-Z]+|NOTFOUND|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE|AI_AGAIN)$/;
/** Matches the driver's own errors for a server that does not answer in time. They have no code. */
const SILENT = /^(timeout expired|timeout exceeded.*|Query read timeout)$/;
/**
 * Matches the driver's other errors without a code, and the error of a database that takes no connections. Knex writes the statement before
 * the driver's message.
 */
const WITHOUT_CONNECTION =
  /(^| - )(Connection terminated|Client has encountered a connection error|Client was closed)|is not currently accepting connections$/;
/**
 * Classes and codes of SQLSTATE: connection, read-only server, authorization, missing database, too many connections, start or shutdown.
 */
const AWAY = /^(08|25006|28|3D|53300|57P)/;

/**
 * Returns true if the database could not be used. Either no connection was available or a connection was lost, or the server is starting,
 * stopping or read-only.
 */
export function isDatabaseAway(error: unknown): boolean {
  const { code, message, name } = (error ?? {}) as { code?: unknown; message?: unknown; name?: unknown };
  return (
    NETWORK.test(String(code)) ||
    AWAY.test(sqlState(error) ?? '') ||
    WITHOUT_CONNECTION.test(String(message)) ||
    isSilent(error) ||
    name === 'KnexTimeoutError'
  );
}

/** Returns true if the driver reports that the server did not answer in time. */
export function isSilent(error: unknown): boolean {
  return SILENT.test(databaseReason(error));
}

/**
 * Returns the reason of a database error in one line. Omits the statement that Knex writes before the reason, because the values of the
 * statement may be personal data.
 */
export function databaseReason(error: unknown): string {
  const { errors, message } = (error ?? {}) as { errors?: unknown[]; message?: unknown };
  // Takes the first error: a host with several addresses reports one error for each address.
  if (errors?.length) return databaseReason(errors[0]);
  return String(message ?? error)
    .split(' - ')
    .at(-1)!
    .split('\n')[0]!;
}

export type InputPlace = 'body' | 'query' | 'path' | 'header';

export interface InputIssue {
  in: InputPlace;
  /** The wire name, such as `customer.email`. */
  field: string;
  /** Describes the valid values. Never contains the invalid value. */
  message: string;
}

/** The input is not valid: the issues name each field. */
export abstract class InputError extends AppError {
  abstract readonly errors: InputIssue[];

  override get facts(): Record<string, unknown> {
    return { errors: this.errors };
  }
}

/** Invalid input that only the domain can detect. */
export class InvalidInputError extends InputError {
  readonly code = 'validation_failed';
  readonly errors: InputIssue[];

  constructor(place: InputPlace, field: string, message: string) {
    super(`${field} ${message}.`);
    this.errors = [{ in: place, field, message }];
  }
}
