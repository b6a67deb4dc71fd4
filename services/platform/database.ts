import knex, { type Knex } from 'knex';
import pg from 'pg';
import { measureLockWait } from './database/measure-waits';
import { heedRequiredScram } from './embedded-postgres/scram-client';
import { sqlState } from './errors';

/** For reads. */
export type Db = Knex;
/** For locks and writes: what takes a Trx cannot be called outside a transaction. */
export type Trx = Knex.Transaction;

const DATE = 1082;
const INT8 = 20;
// A date is a string from the column to the wire: as a Date it moves by a day with the process's time zone (seen).
pg.types.setTypeParser(DATE, (text) => text);
// All our bigints are identities and minor units of money below 2^53.
pg.types.setTypeParser(INT8, Number);

export interface DatabaseOptions {
  applicationName: string;
  /** Connections at most. */
  poolMax?: number;
  /** A statement without an answer after this time has failed: for a server that hangs and cannot say so itself. */
  answerTimeoutMs?: number;
  /** A connection that is not there after this time has failed. */
  connectTimeoutMs?: number;
}

export function openDatabase(url: string, options: DatabaseOptions): Db {
  const { applicationName, poolMax = 16, answerTimeoutMs, connectTimeoutMs } = options;
  const db = knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: applicationName,
      keepAlive: true,
      query_timeout: answerTimeoutMs,
      connectionTimeoutMillis: connectTimeoutMs,
    },
    // Five seconds for a connection, then the request is told so (503): Knex's own minute outlives every client.
    pool: {
      ...{ min: 0, max: poolMax, acquireTimeoutMillis: 5000, idleTimeoutMillis: 10_000 },
      afterCreate: dropWhenSilent,
    },
    acquireConnectionTimeout: 5000,
    // Knex writes to the console what it also throws, and stdout belongs to the log's lines or to a command's answer.
    log: { warn: () => {}, error: () => {}, deprecate: () => {}, debug: () => {} },
  });
  return heedRequiredScram(db, url);
}

/**
 * pg gives up waiting for an answer and keeps the connection, on which the next statement then waits behind the lost one. So a
 * connection that was silent once is closed.
 */
function dropWhenSilent(client: pg.Client, done: (error: null, client: pg.Client) => void): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  client.query = ((...given: unknown[]) => {
    const answered = given.at(-1);
    if (typeof answered === 'function') {
      given[given.length - 1] = (error: Error | null, ...rest: unknown[]) => {
        if (error?.message === 'Query read timeout') {
          // Knex takes it out of its pool now, not when the socket is closed.
          client.emit('error', error);
          client.connection.stream.destroy();
        }
        (answered as (...told: unknown[]) => void)(error, ...rest);
      };
    }
    return query(...given);
  }) as typeof client.query;
  done(null, client);
}

/** SET LOCAL, not connection options: those do not pass a transaction pooler. */
const TRANSACTION_SETTINGS = `
  set transaction isolation level read committed;
  set local lock_timeout = '2s';
  set local statement_timeout = '10s';
  set local idle_in_transaction_session_timeout = '15s'`;

/** Begins a statement that reads the clock as `clock.at`. Materialized, so that it is read once and not once a mention. */
export const CLOCK = 'with clock as materialized (select clock_timestamp() as at)';

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const ATTEMPTS = 3;

/**
 * Runs `work` in one transaction (READ COMMITTED, two seconds for a lock). A deadlock or serialization failure repeats
 * the whole of it, three times in all, so `work` must have no effect outside the transaction.
 */
export async function inTransaction<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(async (trx) => {
        await trx.raw(TRANSACTION_SETTINGS);
        return work(trx);
      });
    } catch (error) {
      const state = sqlState(error);
      if (attempt >= ATTEMPTS || (state !== SERIALIZATION_FAILURE && state !== DEADLOCK)) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
    }
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * The statement's result, or the domain's own refusal where a lock was not granted in the transaction's two seconds.
 * @param lock what is waited for, a word from a short list: it is a label of the measured wait
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
    if (sqlState(error) === LOCK_NOT_AVAILABLE) throw refusal();
    throw error;
  } finally {
    measureLockWait(lock, performance.now() - begun);
  }
}
