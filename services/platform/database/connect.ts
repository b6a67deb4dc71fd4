import type { Knex } from 'knex';
import pg from 'pg';
import { CANNOT_CONNECT, databaseReason, READ_ONLY } from '../errors';
import { readDatabaseUrl, type Target } from './database-url';
import { explainConnectionError, tlsOptions } from './tls';

/** Opens a connection to a server that accepts writes. Uses these settings, except the host: the host comes from the URL of connectTo. */
type Connect = (settings: pg.ClientConfig) => Promise<pg.Client>;

/** Limits the time to try all hosts of a URL. A request waits for a connection for the same time. */
const CONNECT_MS = 5000;

/**
 * Returns a function that connects to the first host of the URL that accepts writes. The function begins with the host of its last
 * connection, so that a dead host delays only one connection.
 */
export function connectTo(url: string): Connect {
  const { urls, tls, target, requiresScram } = readDatabaseUrl(url);
  const Client = requiresScram ? ScramClient : pg.Client;
  let preferred = 0;
  return async ({ connectionTimeoutMillis = CONNECT_MS, ...settings }) => {
    const timeoutMs = Math.ceil(connectionTimeoutMillis / urls.length);
    const failures: Error[] = [];
    const begin = preferred;
    for (let n = 0; n < urls.length; n++) {
      const index = (begin + n) % urls.length;
      const client = new Client({
        ...settings,
        connectionString: urls[index],
        connectionTimeoutMillis: timeoutMs,
        ...(tls && { ssl: tlsOptions(tls) }),
      });
      try {
        await openClient(client, target, timeoutMs);
        preferred = index;
        return client;
      } catch (error) {
        failures.push(explainConnectionError(error as Error));
        if (preferred === index) preferred = (index + 1) % urls.length;
      }
    }
    throw failures.length === 1 ? failures[0]! : new NoServerError(urls, failures);
  };
}

/** Connects, and closes the connection again if the server does not have the role that the URL requires. */
async function openClient(client: pg.Client, target: Target | undefined, timeoutMs: number): Promise<void> {
  let reportsStandby = false;
  client.on('error', () => undefined); // Ignores the event, because the promise of the running statement rejects with the same error.
  client.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
    if (parameterName === 'in_hot_standby') reportsStandby = parameterValue === 'on';
  });
  await client.connect();
  // Queries the role of the server if the URL has target_session_attrs, or if the server reports that it is a standby. Does not trust the
  // report alone, because a pooler may report an outdated role.
  if (target === undefined && !reportsStandby) return;
  try {
    await requireTarget(client, target, timeoutMs);
  } catch (error) {
    client.connection.stream.destroy();
    throw error;
  }
}

/** The server reports these parameters when a connection begins. */
interface ParameterStatus {
  parameterName: string;
  parameterValue: string;
}

const STATE = `
  select pg_is_in_recovery() as standby, current_setting('default_transaction_read_only')::boolean as read_only`;

async function requireTarget(
  client: pg.Client,
  target: Target | undefined,
  timeoutMs: number,
): Promise<void> {
  const statement = { text: STATE, query_timeout: timeoutMs };
  const { rows } = await client.query<{ standby: boolean; read_only: boolean }>(statement);
  if (rows[0]!.standby) throw new ReadOnlyServerError('is a standby, which accepts no writes');
  if (target === 'read-write' && rows[0]!.read_only)
    throw new ReadOnlyServerError('accepts no writes (default_transaction_read_only is on)');
}

/** The server answers, but accepts no writes. */
class ReadOnlyServerError extends Error {
  readonly code = READ_ONLY;

  constructor(state: string) {
    super(`the server ${state}`);
  }
}

/** No host of the URL can be used. The message names the reason for each host. */
class NoServerError extends Error {
  readonly code = CANNOT_CONNECT;

  constructor(urls: string[], failures: Error[]) {
    const reasons = failures.map((failure, n) => `${new URL(urls[n]!).host}: ${databaseReason(failure)}`);
    super(`no host accepts writes (${reasons.join('; ')})`);
  }
}

interface PoolClient {
  connectionSettings: pg.ClientConfig;
  _acquireOnlyConnection(this: PoolClient): Promise<pg.Client>;
}

/** Knex stores on a connection the error that ended the connection. The pool does not use such a connection again. */
type PooledConnection = pg.Client & { __knex__disposed?: unknown };

/**
 * Turns off the compilation of statements, for reads outside a transaction. A transaction pooler keeps the setting on the server connection
 * that ran it, which all services want without it too. A startup parameter would not do: PgBouncer refuses the ones that it does not know.
 */
const WITHOUT_JIT = 'set jit = off';

/** Makes a pool open its connections with `connect`. Knex itself would connect to one host only. */
export function openConnectionsBy(connect: Connect, db: Knex): Knex {
  (db.client as PoolClient)._acquireOnlyConnection = async function () {
    const connection: PooledConnection = await connect(this.connectionSettings);
    const dispose = (reason: unknown) => void (connection.__knex__disposed = reason);
    connection.on('error', dispose);
    connection.on('end', () => dispose('the connection has ended'));
    try {
      await connection.query(WITHOUT_JIT);
    } catch (error) {
      // The pool does not know the connection yet, so it would stay open.
      await connection.end().catch(() => undefined);
      throw error;
    }
    return connection;
  };
  return db;
}

/** Runs one statement on a connection of its own. Does not load Knex, which would take 130 ms, longer than the statement. */
export async function queryOnce<Row extends object>(
  url: string,
  { text, values, timeoutMs }: { text: string; values: unknown[]; timeoutMs: number },
): Promise<Row[]> {
  const client = await connectTo(url)({
    application_name: 'tourctl',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    statement_timeout: timeoutMs,
  });
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

const WEAKER = ['authenticationCleartextPassword', 'authenticationMD5Password'];

/**
 * Accepts only a server that proves by SCRAM-SHA-256 that it knows the password too. pg alone would send the password to any listener that
 * asks for it, and would accept a listener without authentication. When a host is dead, any process can listen on its port.
 */
export class ScramClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this;
    let isProven = false;
    const refuse = () =>
      connection.emit('error', new Error('the server does not authenticate by SCRAM-SHA-256'));
    connection.on('error', () => connection.stream.destroy());
    // Adds these listeners before pg adds its own. When pg then answers a refused server, the socket is already destroyed.
    for (const event of WEAKER) connection.on(event, refuse);
    connection.on('authenticationSASLFinal', () => (isProven = true)); // pg itself raises an error if the server's proof is wrong.
    connection.on('authenticationOk', () => isProven || refuse());
  }
}
