import type { Knex } from 'knex';
import pg from 'pg';
import { measureLockWait } from '../metrics';
import { connectTo, knexClient, type ServerConnection } from './connect';
import type { StatementParams } from './run-prepared';
import { loadKnex, runTransaction, type Trx } from './transaction';
import { AppError, DEADLOCK, LOCK_NOT_AVAILABLE, sqlState } from '../errors';

export { runPrepared } from './run-prepared';
export type { Trx } from './transaction';

/** Used for reads, and to begin transactions. */
export type Db = Knex;

const DATE = 1082;
const INT8 = 20;
// Keeps a date as a string: a Date moves by a day with the process's time zone (observed).
pg.types.setTypeParser(DATE, (text) => text);
// Reads a bigint as a number: all our bigints are ids or minor units of money, which are below 2^53.
pg.types.setTypeParser(INT8, Number);

export interface DatabaseOptions {
  applicationName: string;
  /** Maximum number of connections. */
  poolMax?: number;
  /** Fails a statement that gets no response within this time, so that no request waits for a server that hangs. */
  answerTimeoutMs?: number;
  /** Fails a new connection if no host of the URL can be used within this time; five seconds by default. */
  connectTimeoutMs?: number;
  /** True: the connections keep prepared statements. False for a pooler that does not support them. */
  canPrepare?: boolean;
}

/** Opens a pool. If the URL names several hosts, the pool connects to the primary and never to a standby. */
export function openDatabase(url: string, options: DatabaseOptions): Db {
  const { applicationName, poolMax = 16, answerTimeoutMs, connectTimeoutMs, canPrepare = false } = options;
  const db = loadKnex()({
    client: knexClient(connectTo(url)),
    connection: {
      connectionString: url,
      application_name: applicationName,
      keepAlive: true,
      query_timeout: answerTimeoutMs,
      connectionTimeoutMillis: connectTimeoutMs,
    },
    // Waits five seconds for a connection, then the request gets 503. Knex's default of a minute is longer than clients wait.
    pool: {
      min: 0,
      max: poolMax,
      acquireTimeoutMillis: 5000,
      idleTimeoutMillis: 10_000,
      validate: (connection: ServerConnection) => connection.isUsable,
    },
    acquireConnectionTimeout: 5000,
    // Silences Knex, because it also throws every error that it prints. stdout is for log lines and the output of commands.
    log: { warn: () => {}, error: () => {}, deprecate: () => {}, debug: () => {} },
    postProcessResponse: toFields,
  });
  const params: StatementParams = { canPrepare };
  db.userParams = params;
  return db;
}

const LOCK_MS = 2_000;
/** Shortest lock_timeout: long enough to take a lock that is free. 0 would mean no limit. */
const SHORTEST_LOCK_MS = 100;

/**
 * Uses SET LOCAL, because connection options do not pass a transaction pooler. Turns the compilation of statements off: enable_seqscan = off
 * (commit-changes.ts) raises the costs of a plan above jit_above_cost, and PostgreSQL 15 to 17 then compiled the statement of the facts for
 * 4 s in each transaction of a sale.
 * @rule no session compiles the statements of a sale: test/platform/compilation.test.ts
 */
const BEGIN = `begin isolation level read committed;
  set local statement_timeout = '10s';
  set local idle_in_transaction_session_timeout = '15s';
  set local jit = off`;

/**
 * Begins a statement with a CTE that returns the time as `clock.at`. The CTE is materialized, so that the statement reads the clock only
 * once.
 */
export const CLOCK = 'with clock as materialized (select clock_timestamp() as at)';

const SERIALIZATION_FAILURE = '40001';
const ATTEMPTS = 3;

export interface TransactionOptions {
  /**
   * The time at which a wait for a lock ends, on the clock of performance.now(). For a caller that has already waited for a part of the
   * time.
   */
  lockBy?: number;
  /** Further SET LOCAL statements as one constant text. Semicolons separate the statements; the last statement has none. */
  settings?: string;
}

/**
 * Runs `work` in one transaction (READ COMMITTED, at most two seconds for a lock). Repeats the transaction after a deadlock, a
 * serialization failure or an error with `repeatsTransaction`: it runs at most three times. So `work` must have no effect outside the
 * transaction.
 */
export async function inTransaction<T>(
  db: Db,
  work: (trx: Trx) => Promise<T>,
  { lockBy = Infinity, settings }: TransactionOptions = {},
): Promise<T> {
  const { canPrepare } = db.userParams as StatementParams;
  const params: StatementParams = { canPrepare, settings };
  const begin = () => {
    const leftMs = Math.ceil(lockBy - performance.now());
    const lockMs = Math.min(LOCK_MS, Math.max(SHORTEST_LOCK_MS, leftMs));
    const begun = `${BEGIN}; set local lock_timeout = ${lockMs}`;
    return settings ? `${begun}; ${settings}` : begun;
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return await runTransaction(db, { begin, params }, work);
    } catch (error) {
      if (attempt >= ATTEMPTS || !mayRepeat(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
    }
  }
}

function mayRepeat(error: unknown): boolean {
  const state = sqlState(error);
  if (state === SERIALIZATION_FAILURE || state === DEADLOCK) return true;
  return error instanceof AppError && error.repeatsTransaction;
}

/**
 * Classes and codes of SQLSTATE after which the transaction may be committed: connection, resources, shutdown, internal error, and 40003.
 */
const UNCERTAIN = /^(08|40003|53|57|58|XX)/;

/** Returns true if the server answered with an error that rolled back the transaction; false when the outcome is unknown. */
export function isRolledBack(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code !== undefined && !UNCERTAIN.test(error.code);
}

const QUERY_CANCELED = '57014';

/**
 * Returns the statement's result. Throws `refusal` if the statement timed out or could not get the lock in time.
 * @param lock the label of the lock in the metric of lock waits; one of a few fixed names
 */
export async function refuseWhenLocked<T>(
  lock: string,
  statement: PromiseLike<T>,
  refusal: () => Error,
): Promise<T> {
  const begun = performance.now();
  try {
    return await statement;
  } catch (error) {
    const state = sqlState(error);
    if (state === LOCK_NOT_AVAILABLE || state === QUERY_CANCELED) throw refusal();
    throw error;
  } finally {
    measureLockWait(lock, performance.now() - begun);
  }
}

/** A row, keyed by the names of its columns or of its fields. */
type Row = Record<string, unknown>;

/** Field names by column name. All columns come from our own statements, so the map stays small. */
const fieldNames = new Map<string, string>();

function fieldName(column: string): string {
  let name = fieldNames.get(column);
  if (name === undefined) {
    name = column.replace(/_([a-z0-9])/g, (_match, next: string) => next.toUpperCase());
    fieldNames.set(column, name);
  }
  return name;
}

/**
 * Renames columns to fields: `tenant_id` becomes `tenantId`. Accepts each result of Knex: rows, one row, or the result of a raw statement.
 * Leaves counts, plucked values and the contents of jsonb columns as they are, because jsonb columns hold documents in wire names. A row of
 * 15 columns takes 0.8 µs.
 */
export function toFields(response: unknown): unknown {
  if (Array.isArray(response)) return response.map(toFields);
  if (typeof response !== 'object' || response === null) return response;
  if (Object.getPrototypeOf(response) === Object.prototype) return fieldsOf(response as Row);
  const result = response as { rows?: Row[] };
  if (result.rows) result.rows = result.rows.map(fieldsOf);
  return response;
}

function fieldsOf(row: Row): Row {
  const fields: Row = {};
  for (const column in row) fields[fieldName(column)] = row[column];
  return fields;
}

/** Names fields as columns, for an insert or update: `tenantId` becomes `tenant_id`. */
export function toColumns(fields: object): Row {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [columnName(name), value as unknown]),
  );
}

export function columnName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
