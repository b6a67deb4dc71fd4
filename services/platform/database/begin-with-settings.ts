import type { EventEmitter } from 'node:events';
import type { Knex } from 'knex';
import pg from 'pg';
import { keepsPrepared } from './run-prepared';

/** The options of a transaction of `beginWithSettings`. */
export interface BeginOptions extends Knex.TransactionConfig {
  /** BEGIN and SET statements, as a constant text. */
  begin: string;
  /** Returns lock_timeout in milliseconds. Called after the transaction has got its connection. */
  lockMs(): number;
  /** True: `sendWithNext` sends the settings together with the first statement of the transaction. */
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
 * Makes each transaction of a pool send its settings together with BEGIN, which saves a round trip. If a setting fails, the transaction's
 * work does not begin. With `withFirst`, the first statement of the work does not run.
 */
export function beginWithSettings(db: Knex): Knex {
  const client = db.client as KnexClient;
  const create = client.transaction;
  // Uses `this`, because `this` may be a copy of the client: for migrations, Knex copies the client with this function.
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
    // Makes the pool close the connection. BEGIN may have run, and the server would then refuse the next statements on this connection.
    connection.emit('error', error);
    throw error;
  }
}

/**
 * Splits a text at the semicolons into statements. Leaves out empty statements: the server sends no CommandComplete for them, and
 * PrefixedQuery waits for a CommandComplete of each prefix.
 */
function textsOf(statements: string): string[] {
  const texts = statements.split(';').map((one) => one.trim());
  return texts.filter((text) => text !== '');
}

/** The prefixes, keyed by the text of their statements. The texts are constants, so the map stays small. */
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
  /** The name under which the connection keeps the statement prepared. Undefined: the statement is not kept. */
  name?: string;
}

type Callback = (error: Error | null, result?: unknown) => void;
type Send = (query: pg.QueryConfig, callback: Callback) => void;

/** A client whose statements all have a callback: the statements of Knex and of `runPrepared`. */
interface Client extends EventEmitter {
  query: Send;
  connection: Connection;
}

/** The methods of pg's connection that send messages. The types of pg omit these methods or declare them differently. */
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
 * Sends these statements (the prefixes) together with the next statement of the client: in one write, and with one Sync after all of them.
 * After an error the server skips all messages up to the Sync, so the next statement never runs without the prefixes. (The JDBC driver
 * sends BEGIN in the same way.) If a prefix fails, all later statements fail too, because they would run without a transaction. The
 * connection then closes and leaves the pool. The next statement must be a single one, and not a stream.
 */
export function sendWithNext(connection: EventEmitter, prefixes: Prefix[]): void {
  const client = connection as Client;
  const send = client.query;
  const sendWithPrefixes: Send = (config, callback) => {
    if (typeof callback !== 'function') throw new Error('the first statement of a transaction is no stream');
    const query = new PrefixedQuery(config, prefixes, (error) => refuseAll(client, error));
    send.call(client, query as unknown as pg.QueryConfig, callback);
    // Restores `query` only after the call has succeeded: if the call throws, the following statement needs the prefixes. If pg could not
    // send a value, refuseAll has already replaced `query`, and its replacement stays.
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

/** The names of the prefixes that a connection keeps prepared. No name is ever removed, because a failed prefix ends the connection. */
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
    // Uses the extended protocol, because a simple query ends with its own Sync, and here one Sync follows all statements.
    this.queryMode = 'extended';
  }

  override submit(connection: Connection): Error | null {
    connection.stream.cork();
    try {
      for (const prefix of this.prefixes) sendPrefix(connection, prefix);
      const refused = super.submit(connection);
      // Hides the statement's name until the prefixes are complete. Otherwise pg would take the ParseComplete of the first prefix for the
      // ParseComplete of the statement.
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

/** Sends one prefix. Requests no description of the result rows, because no code reads the rows. */
function sendPrefix(connection: Connection, { text, name }: Prefix): void {
  const names = prepared.get(connection) ?? new Set();
  prepared.set(connection, names);
  if (name === undefined || !names.has(name)) connection.parse({ text, name });
  if (name !== undefined) names.add(name);
  connection.bind({ statement: name });
  connection.execute({});
}
