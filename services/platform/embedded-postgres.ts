import { realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isNobody } from './embedded-postgres/account';
import { bundledRelease, usableBinaries } from './embedded-postgres/binaries';
import { createCluster, readPassword, serviceUrl, superuserUrl } from './embedded-postgres/create-cluster';
import { EmbeddedPostgresError } from './embedded-postgres/embedded-postgres.errors';
import { type Cluster, placeCluster } from './embedded-postgres/place-cluster';
import { ScramClient } from './embedded-postgres/scram-client';
import { findServer, type RunningServer, startServer, stopServer } from './embedded-postgres/server';
import { handOverDatabase, SERVICE_ROLE, servicePassword } from './embedded-postgres/service-role';
import { rotateServerLog } from './embedded-postgres/server-log';
import { withStartLock } from './embedded-postgres/start-lock';
import { sqlState } from './errors';
import { makeDirectory } from './make-directory';

export { startThrowAwayPostgres } from './embedded-postgres/throw-away';

export interface EmbeddedPostgres {
  /** postgres://<role>:<password>@127.0.0.1:<port>/tour_platform?require_auth=scram-sha-256; the role is no superuser. */
  url: string;
  /** Call it when all own connections are closed: whoever leaves last stops the server. Never throws. */
  leave(): Promise<void>;
}

/** A session that holds LEASE_KEY in share says: this process uses the server. */
interface Lease {
  session: pg.Client;
  cluster: Cluster;
  port: number;
  url: string;
}

type Notice = (line: string) => void;

const DATABASE = 'tour_platform';
/** Any number will do that no one else locks in the database `postgres` of this server. */
const LEASE_KEY = 1_869_768_050;
const SETTINGS = { timezone: 'UTC', log_timezone: 'UTC', max_connections: '200' };
/** Longer than the recovery that another process may be waiting for. */
const JOIN_WAIT_MS = 11 * 60_000;
const LEAVE_WAIT_MS = 15_000;
const REGAIN_PAUSE_MS = 1000;
const LOG_CHECK_MS = 60_000;
const DUPLICATE_DATABASE = '42P04';

/**
 * Joins the embedded PostgreSQL of that data directory, and starts it if nobody has: `<dataDir>/pg18`, made on first
 * use. The server runs detached and outlives a killed process; if it dies itself, it is brought back while we are in.
 * PostgreSQL refuses root, so for root it runs as the cluster's owner, or at first as `postgres` or `nobody`.
 * The services get the URL of a role that owns the database and is no superuser.
 * Throws EmbeddedPostgresError (one sentence what is wrong, one what to do) if it cannot be had.
 */
export async function joinEmbeddedPostgres(
  dataDir: string,
  { onNotice: notice = () => undefined }: { onNotice?: Notice } = {},
): Promise<EmbeddedPostgres> {
  const directory = openDirectory(dataDir);
  let lease = await takeLease(directory, notice);
  const { url } = lease;
  let leaving: Promise<void> | undefined;
  let regaining = Promise.resolve();

  // Without a lease the next one who leaves would stop the server under us.
  const regain = async () => {
    for (let told = ''; !leaving; await sleep(REGAIN_PAUSE_MS, undefined, { ref: false })) {
      try {
        lease = await takeLease(directory, notice, lease.port);
        watch();
        return notice(lease.url === url ? 'the database is back' : 'the database has moved: start again');
      } catch (error) {
        if ((error as Error).message !== told) notice((told = (error as Error).message));
      }
    }
  };
  const watch = () => {
    lease.session.once('end', () => {
      if (!leaving) regaining = regain();
    });
  };
  const stopRotating = keepLogSmall(directory, () => lease.cluster);
  const leaveNow = async () => {
    stopRotating();
    await regaining;
    await giveUp(directory, lease).catch((error: Error) => notice(`the database stays up: ${error.message}`));
  };

  watch();
  return { url, leave: () => (leaving ??= leaveNow()) };
}

/** Each process that uses the server looks at its log once a minute. A failure waits for the next look. */
function keepLogSmall(dataDir: string, cluster: () => Cluster): () => void {
  const look = () =>
    withStartLock(startLock(dataDir), { waitMs: 0 }, () =>
      Promise.resolve(rotateServerLog(cluster().directory)),
    ).catch(() => undefined);
  const timer = setInterval(() => void look(), LOG_CHECK_MS).unref();
  return () => clearInterval(timer);
}

function openDirectory(dataDir: string): string {
  try {
    makeDirectory(dataDir);
    return realpathSync(dataDir);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The data directory cannot be made (${(error as Error).message})`,
      'Set DATA_DIR to a directory of your own',
    );
  }
}

/** Start, lease and database in one hold of the start lock: nobody stops the server between finding it and using it. */
async function takeLease(dataDir: string, notice: Notice, earlierPort?: number): Promise<Lease> {
  const { major } = bundledRelease();
  return withStartLock(startLock(dataDir), { waitMs: JOIN_WAIT_MS, onWait: notice }, async () => {
    const cluster = await placeCluster(dataDir, major, notice);
    for (let attempt = 1; ; attempt++) {
      const found = await findServer(cluster.directory);
      const { port } = found ?? (await makeServer(cluster, notice, earlierPort));
      try {
        const session = await openSession(cluster, port, found === undefined);
        return { session, cluster, port, url: serviceUrl(cluster.directory, port, DATABASE) };
      } catch (error) {
        if (error instanceof EmbeddedPostgresError) throw error;
        // It may have been found as somebody ended it: look again.
        if (attempt === 3) throw doesNotAnswer(cluster, port, error as Error);
        await sleep(200);
      }
    }
  });
}

async function makeServer(cluster: Cluster, notice: Notice, earlierPort?: number): Promise<RunningServer> {
  const binaries = await usableBinaries(bundledRelease(), cluster.account);
  if (await createCluster(cluster, binaries, SETTINGS)) {
    const shared = isNobody(cluster.account) ? ', open to all that runs as "nobody" on this machine' : '';
    notice(`made a new database in ${cluster.directory}${shared}`);
  }
  return startServer(cluster, binaries, earlierPort);
}

async function openSession(cluster: Cluster, port: number, isNewServer: boolean): Promise<pg.Client> {
  const session = superuserClient(cluster, port, 'postgres');
  try {
    await session.connect();
    await session.query('select pg_advisory_lock_shared($1)', [LEASE_KEY]);
    await ensureDatabase(session);
    // An earlier release may have started a server that is already running.
    if (isNewServer || !(await isHandedOver(session))) await handOver(cluster, port);
  } catch (error) {
    await session.end().catch(() => undefined);
    throw error;
  }
  // A process that has nothing left to do ends, though it forgot to leave.
  keepsProcessAlive(session, false);
  return session;
}

async function ensureDatabase(session: pg.Client): Promise<void> {
  const { rowCount } = await session.query('select from pg_database where datname = $1', [DATABASE]);
  if (rowCount) return;
  await session.query(`create database ${DATABASE}`).catch((error: unknown) => {
    if (sqlState(error) !== DUPLICATE_DATABASE) throw error;
  });
}

function superuserClient({ directory }: Cluster, port: number, database: string): pg.Client {
  const client = new ScramClient({
    connectionString: superuserUrl(directory, port, database),
    ssl: false,
    application_name: 'embedded-postgres lease',
    connectionTimeoutMillis: 10_000,
    // The service role owns the database and its schema: a function of its own must never answer an unqualified name here.
    options: '-c search_path=pg_catalog,pg_temp',
  });
  client.on('error', () => undefined); // 'end' follows
  return client;
}

/** The database's owner changes last, in the same transaction as everything else. */
async function isHandedOver(session: pg.Client): Promise<boolean> {
  const { rowCount } = await session.query(
    'select from pg_database where datname = $1 and pg_get_userbyid(datdba) = $2',
    [DATABASE, SERVICE_ROLE],
  );
  return rowCount === 1;
}

async function handOver(cluster: Cluster, port: number): Promise<void> {
  const session = superuserClient(cluster, port, DATABASE);
  try {
    await session.connect();
    await handOverDatabase(session, servicePassword(readPassword(cluster.directory)));
  } finally {
    await session.end();
  }
}

/** Under the start lock, so that nobody joins a server that is about to stop. */
async function giveUp(dataDir: string, { session, cluster }: Lease): Promise<void> {
  keepsProcessAlive(session, true);
  try {
    await withStartLock(startLock(dataDir), { waitMs: LEAVE_WAIT_MS }, async () => {
      await session.query('select pg_advisory_unlock_shared($1)', [LEASE_KEY]);
      const { rows } = await session.query<{ last: boolean }>('select pg_try_advisory_lock($1) as last', [
        LEASE_KEY,
      ]);
      await session.end();
      if (rows[0]?.last) await stopServer(cluster.directory);
    });
  } finally {
    await session.end();
  }
}

/** pg has ref() and unref(), its types do not. */
function keepsProcessAlive(session: pg.Client, yes: boolean): void {
  const socket = session as unknown as Record<'ref' | 'unref', () => void>;
  socket[yes ? 'ref' : 'unref']();
}

function doesNotAnswer({ directory }: Cluster, port: number, { message }: Error): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The database server of ${directory} on port ${port} does not let us in (${message})`,
    `Its log is ${path.join(directory, 'server.log')}; if you end the process named in postmaster.pid, the next start begins anew`,
  );
}

function startLock(dataDir: string): string {
  return path.join(dataDir, `pg${bundledRelease().major}.lock`);
}
