import type { Knex } from 'knex';
import type pg from 'pg';

/** Used for locks and writes. A function that takes a Trx cannot run outside a transaction. */
export type Trx = Knex & Pick<Knex.Transaction, 'isCompleted'>;

/** Loads Knex only when it is needed: this takes 0.15 s of CPU, and `tourctl --help` and shell completion do not need Knex. */
export function loadKnex(): (config: Knex.Config) => Knex {
  return (require('knex') as typeof import('knex')).knex;
}

/** Loads the client of PostgreSQL that Knex's own `client: 'pg'` means. */
export function loadPostgresClient(): typeof Knex.Client {
  return require('knex/lib/dialects/postgres') as typeof Knex.Client;
}

export interface TransactionStart {
  /** Returns BEGIN and the SET LOCAL statements of the transaction. Called when the transaction has its connection. */
  begin(): string;
  /** The `userParams` of the Trx. */
  params: object;
}

/**
 * Runs `work` in one transaction. Sends BEGIN and its settings as one simple query: Knex's own transaction sends BEGIN alone, and the
 * settings would take another round trip. If a setting fails, the work does not begin.
 */
export async function runTransaction<T>(
  db: Knex,
  start: TransactionStart,
  work: (trx: Trx) => Promise<T>,
): Promise<T> {
  const pool = db.client as Knex.Client;
  const connection = (await pool.acquireConnection()) as pg.Client;
  try {
    return await runOn(connection, pool, start, work);
  } finally {
    await pool.releaseConnection(connection);
  }
}

/** The time after which a ROLLBACK without an answer ends its connection. */
const ROLLBACK_MS = 5_000;

async function runOn<T>(
  connection: pg.Client,
  pool: Knex.Client,
  { begin, params }: TransactionStart,
  work: (trx: Trx) => Promise<T>,
): Promise<T> {
  const held = new HeldConnection(connection);
  const trx = knexOn(held, pool, params);
  const send = (sql: string, options = {}) => pool.query(connection, { sql, options }) as Promise<unknown>;
  let result: T;
  try {
    await send(begin());
    result = await work(trx);
  } catch (error) {
    held.isCompleted = true;
    // Removes the connection from the pool if ROLLBACK fails, because the transaction may still be open.
    await send('ROLLBACK', { query_timeout: ROLLBACK_MS }).catch((failure: unknown) =>
      connection.emit('error', failure),
    );
    throw error;
  }
  held.isCompleted = true;
  await send('COMMIT');
  return result;
}

/** Statements that begin or end a transaction. A savepoint does not. */
const BEGIN_OR_END = /^\s*(begin|start|commit|end|abort|prepare transaction|rollback(?!\s+to))\b/i;

/**
 * The connection of a transaction, as its work sees it. Sends no statement after the transaction has ended, because the connection may already
 * belong to another transaction. Sends no BEGIN of Knex's `transaction` and `batchInsert`, because their COMMIT would end this transaction.
 */
class HeldConnection {
  isCompleted = false;

  constructor(private readonly connection: pg.Client) {}

  query(...args: [{ text?: string }, ...unknown[]]): unknown {
    if (this.isCompleted) throw new Error('the transaction has ended');
    if (BEGIN_OR_END.test(args[0].text ?? ''))
      throw new Error('a transaction begins and ends by itself: send a savepoint');
    return (this.connection.query as (...args: unknown[]) => unknown).call(this.connection, ...args);
  }
}

/** Returns a Knex whose statements all run on this connection, by Knex's option for a pool of the caller. */
function knexOn(held: HeldConnection, pool: Knex.Client, params: object): Trx {
  const { client, log, postProcessResponse } = pool.config;
  const connectionPool = {
    acquire: () => ({ promise: Promise.resolve(held) }),
    release: () => true,
    destroy: () => Promise.resolve(),
    // Knex recognizes such a pool by these three functions.
    numUsed: () => 1,
    numFree: () => 0,
    numPendingAcquires: () => 0,
  };
  const trx = loadKnex()({ client, connectionPool, log, postProcessResponse }) as Trx;
  // Reports the statements to the listeners of the pool too, as a transaction of Knex does.
  trx.on('query', (query) => pool.emit('query', query));
  trx.userParams = params;
  trx.isTransaction = true;
  trx.isCompleted = () => held.isCompleted;
  return trx;
}
