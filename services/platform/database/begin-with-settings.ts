import type { EventEmitter } from 'node:events';
import type { Knex } from 'knex';
import pg from 'pg';
import { keepsPrepared } from './run-prepared';

/** The options of a transaction of `beginWithSettings`. */
export interface BeginOptions extends Knex.TransactionConfig {
  /** BEGIN and SET statements, as a constant text. */
  begin: string;
  /** Returns lock_timeout in milliseconds. It is called when the transaction has its connection. */
  lockMs(): number;
  /** True: `sendWithNext` sends these statements with the first one of the transaction. */
  withFirst: boolean;
}

interface Transaction {
  begin(connection: EventEmitter): Promise<unknown>;
  trxClient: { query(connection: EventEmitter, sql: string): Promise<unknown> };
}

interface KnexClient {
  config: object;
  transaction: (
    this: KnexClient,
    work: unknown,
    options: Partial<BeginOptions>,
    outer?: unknown,
  ) => Transaction;
}

/**
 * Makes the transactions of a pool send their settings together with BEGIN. A separate statement would take one more round trip. If a
 * setting fails, the work does not begin; with `withFirst`, the first statement of the work does not run.
 */
export function beginWithSettings(db: Knex): Knex {
  const client = db.client as KnexClient;
  const create = client.transaction;
  // Uses `this`, which may be a copy of the client: Knex copies the client, with this function, when it migrates.
  client.transaction = function (this: KnexClient, work, options, outer) {
    const transaction = create.call(this, work, options, outer);
    const { begin: statements, lockMs, withFirst } = options;
    if (statements === undefined || lockMs === undefined) return transaction;
    const lockTimeout = () => `set local lock_timeout = ${lockMs()}`;
    transaction.begin = async (connection) => {
      if (!withFirst) return begin(transaction, connection, `${statements}; ${lockTimeout()}`);
      const constant = keepsPrepared(this)
        ? namedOf(statements)
        : textsOf(statements).map((text) => ({ text }));
      sendWithNext(connection, [...constant, { text: lockTimeout() }]);
    };
    return transaction;
  };
  return db;
}

async function begin({ trxClient }: Transaction, connection: EventEmitter, sql: string): Promise<void> {
  try {
    await trxClient.query(connection, sql);
  } catch (error) {
    // Makes the pool close the connection: BEGIN may have run, and then the server would refuse the next statements.
    connection.emit('error', error);
    throw error;
  }
}

/**
 * Splits statements at the semicolons. Leaves out empty texts: the server sends no CommandComplete for an empty text, and PrefixedQuery
 * waits for one after each prefix.
 */
function textsOf(statements: string): string[] {
  const texts = statements.split(';').map((one) => one.trim());
  return texts.filter((text) => text !== '');
}

/** The prefixes by the text of their statements. The texts are constants, so the map stays small. */
const named = new Map<string, Prefix[]>();

function namedOf(statements: string): Prefix[] {
  const known = named.get(statements);
  if (known) return known;
  const prefixes = textsOf(statements).map((text, n) => ({ text, name: `begin_${named.size + 1}_${n + 1}` }));
  named.set(statements, prefixes);
  return prefixes;
}

/** A statement that is sent before another one, and whose rows nobody reads. */
interface Prefix {
  text: string;
  /** The connection keeps the statement prepared under this name. Undefined: the statement is not kept. */
  name?: string;
}

type Callback = (error: Error | null, result?: unknown) => void;
type Send = (query: pg.QueryConfig, callback: Callback) => void;

/** A client whose statements all have a callback: those of Knex and of `runPrepared`. */
interface Client extends EventEmitter {
  query: Send;
  connection: Connection;
}

/** The part of pg's connection that sends messages, which its types omit or declare otherwise. */
interface Connection {
  stream: { cork(): void; uncork(): void; destroy(): void };
  parse(message: Prefix): void;
  bind(message: { statement: string | undefined }): void;
  execute(message: object): void;
}

/** The methods that pg calls on a query, which its types omit. */
interface ProtocolQuery {
  name: string | undefined;
  queryMode: 'extended' | undefined;
  submit(connection: Connection): Error | null;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleDataRow(message: unknown): void;
  handleError(error: Error, connection: Connection): void;
}

const ProtocolQuery = pg.Query as unknown as new (config: pg.QueryConfig) => ProtocolQuery;

/**
 * Sends these statements with the next statement of the client, in one write, and with one Sync after all of them. After an error the
 * server skips the rest up to the Sync, so the next statement never runs without the prefixes (the JDBC driver sends BEGIN in the same
 * way). If a prefix fails, the next statement and each later one get the error, because they would run without a transaction. The
 * connection closes and leaves the pool.
 *
 * The next statement must be a single one, and not a stream.
 */
export function sendWithNext(connection: EventEmitter, prefixes: Prefix[]): void {
  const client = connection as Client;
  const send = client.query;
  const sendWithPrefixes: Send = (config, callback) => {
    if (typeof callback !== 'function') throw new Error('the first statement of a transaction is no stream');
    const query = new PrefixedQuery(config, prefixes, (error) => refuseAll(client, error));
    send.call(client, query as unknown as pg.QueryConfig, callback);
    // Restores `query` only after the call succeeded, because the next statement needs the prefixes if the call throws. If pg could not
    // send a value, refuseAll has already replaced `query`, and this replacement stays.
    if (client.query === sendWithPrefixes) client.query = send;
  };
  client.query = sendWithPrefixes;
}

function refuseAll(client: Client, error: Error): void {
  client.query = (_config, callback) => process.nextTick(callback, error);
  client.emit('error', error);
  // Closes the socket, so that statements which wait in the client are never sent.
  client.connection.stream.destroy();
}

/** The names of the prefixes that a connection keeps prepared. None is ever removed, because a prefix that fails ends the connection. */
const prepared = new WeakMap<Connection, Set<string>>();

class PrefixedQuery extends ProtocolQuery {
  private ownName: string | undefined;
  /** Number of prefixes that the server has not completed yet. */
  private left: number;

  constructor(
    config: pg.QueryConfig,
    private readonly prefixes: Prefix[],
    private readonly onPrefixFailure: (error: Error) => void,
  ) {
    super(config);
    this.left = prefixes.length;
    // Uses the extended protocol, because a simple query would not wait for the one Sync after all statements.
    this.queryMode = 'extended';
  }

  override submit(connection: Connection): Error | null {
    connection.stream.cork();
    try {
      for (const prefix of this.prefixes) sendPrefix(connection, prefix);
      const refused = super.submit(connection);
      // Hides the name of the statement until the prefixes are complete, because pg would take the ParseComplete of the first prefix for
      // the one of the statement.
      this.ownName = this.name;
      this.name = undefined;
      return refused;
    } finally {
      connection.stream.uncork();
    }
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    if (this.left === 0) return super.handleCommandComplete(message, connection);
    this.left -= 1;
    if (this.left === 0) this.name = this.ownName;
  }

  override handleDataRow(message: unknown): void {
    if (this.left === 0) super.handleDataRow(message);
  }

  override handleError(error: Error, connection: Connection): void {
    if (this.left > 0) this.onPrefixFailure(error);
    super.handleError(error, connection);
  }
}

/** Sends one prefix. Requests no description of its rows, because nobody reads them. */
function sendPrefix(connection: Connection, { text, name }: Prefix): void {
  const names = prepared.get(connection) ?? new Set();
  prepared.set(connection, names);
  if (name === undefined || !names.has(name)) connection.parse({ text, name });
  if (name !== undefined) names.add(name);
  connection.bind({ statement: name });
  connection.execute({});
}
