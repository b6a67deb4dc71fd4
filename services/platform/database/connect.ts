import type { Knex } from 'knex';
import pg from 'pg';
import { CANNOT_CONNECT, databaseReason, isSilent, READ_ONLY, sqlState } from '../errors';
import { readDatabaseUrl, type Target } from './database-url';
import { explainConnectionError, tlsOptions } from './tls';
import { loadPostgresClient } from './transaction';

/** A connection, which the pool drops when its server stops answering or becomes read-only. pg alone would keep it. */
export class ServerConnection extends pg.Client {
  isUsable = true;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // The promise of the running statement rejects with the same error.
    this.on('error', () => (this.isUsable = false));
    this.on('end', () => (this.isUsable = false));
  }

  /** Sends a statement. The next one would wait behind one that timed out, or go to a server that is no longer the primary. */
  override query(...args: unknown[]): never {
    const callback = args.at(-1);
    if (typeof callback === 'function')
      args[args.length - 1] = (error: Error | null, ...rest: unknown[]) => {
        if (error) this.dropAfter(error);
        (callback as (...results: unknown[]) => void)(error, ...rest);
      };
    return (super.query as (...args: unknown[]) => never).apply(this, args);
  }

  /** A read-only connection stays open for a ROLLBACK. */
  private dropAfter(error: Error): void {
    const silent = isSilent(error);
    if (silent || sqlState(error) === READ_ONLY) this.isUsable = false;
    if (silent) this.connection.stream.destroy();
  }
}

/** Opens a connection to a server that accepts writes. Uses these settings, except the host: the host comes from the URL of connectTo. */
type Connect = (settings: pg.ClientConfig) => Promise<ServerConnection>;

/** Limits the time to try all hosts of a URL. A request waits for a connection for the same time. */
const CONNECT_MS = 5000;

/**
 * Returns a function that connects to the first host of the URL that accepts writes. The function begins with the host of its last
 * connection, so that a dead host delays only one connection.
 */
export function connectTo(url: string): Connect {
  const { urls, tls, target, requiresScram } = readDatabaseUrl(url);
  const Client = requiresScram ? ScramClient : ServerConnection;
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

/**
 * Turns off the compilation of statements, for reads outside a transaction. A transaction pooler keeps the setting on the server connection
 * that ran it, which all services want without it too. A startup parameter would not do: PgBouncer refuses the ones that it does not know.
 */
const WITHOUT_JIT = 'set jit = off';

/** Returns Knex's client of PostgreSQL, whose pool opens its connections with `connect`. Knex itself would connect to one host only. */
export function knexClient(connect: Connect): typeof Knex.Client {
  return class extends loadPostgresClient() {
    override async acquireRawConnection(): Promise<ServerConnection> {
      const connection = await connect(this.connectionSettings);
      try {
        await (connection as pg.Client).query(WITHOUT_JIT);
      } catch (error) {
        // The pool does not know the connection yet, so it would stay open.
        await connection.end().catch(() => undefined);
        throw error;
      }
      return connection;
    }
  };
}

/** Runs one statement on a connection of its own. Does not load Knex, which would take 130 ms, longer than the statement. */
export async function queryOnce<Row extends object>(
  url: string,
  { text, values, timeoutMs }: { text: string; values: unknown[]; timeoutMs: number },
): Promise<Row[]> {
  const client: pg.Client = await connectTo(url)({
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
export class ScramClient extends ServerConnection {
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
