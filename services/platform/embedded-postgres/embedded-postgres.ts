import { existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isNobody } from './account';
import { bundledRelease, usableBinaries } from './binaries';
import {
  allowLogins,
  type Cluster,
  createCluster,
  placeCluster,
  ensureDatabase,
  serviceUrl,
  superuserClient,
} from './cluster';
import { EmbeddedPostgresError } from './embedded-postgres.errors';
import {
  findServer,
  FREE_SPACE,
  isDiskFull,
  READY_WAIT_MS,
  readyServer,
  rotateServerLog,
  type RunningServer,
  startServer,
  stopServer,
} from './server';
import { withStartLock } from './start-lock';
import { CANNOT_CONNECT_NOW, DEADLOCK, LOCK_NOT_AVAILABLE, sqlState } from '../errors';
import { makeDirectory } from '../directories';

export interface EmbeddedPostgres {
  /** postgres://<role>:<password>@127.0.0.1:<port>/tour_platform?require_auth=scram-sha-256; the role is no superuser. */
  url: string;
  /** Stops the server if no other process uses it. Close the connections of this process before the call. Never throws. */
  leave(): Promise<void>;
}

/** A process uses the server as long as its session holds a share lock on IN_USE_LOCK. */
interface Use {
  session: pg.Client;
  cluster: Cluster;
  port: number;
  url: string;
}

type JoinNotice = (line: string) => void;

/** The key of an advisory lock in the database `postgres` of this server. Any number that no other program uses there. */
const IN_USE_LOCK = 1_869_768_050;
const SETTINGS = { timezone: 'UTC', log_timezone: 'UTC', max_connections: '200' };
/** Longer than READY_WAIT_MS: for that time, another process may hold the start lock while the server recovers. */
const JOIN_WAIT_MS = 11 * 60_000;
const LEAVE_WAIT_MS = 15_000;
const RETRY_PAUSE_MS = 1000;
const LOG_CHECK_MS = 60_000;
const JOIN_ATTEMPTS = 5;
const JOIN_PAUSE_MS = 500;

/**
 * Joins the embedded PostgreSQL of a data directory, and starts the server if it does not run. The cluster is `<dataDir>/pg18`, created on
 * first use. The server runs detached: it survives when this process is killed. If the server ends, this process starts the server again.
 * PostgreSQL refuses to run as root. If this process is root, the server runs as the owner of the cluster, and a new cluster belongs to
 * `postgres` or `nobody`.
 * @throws EmbeddedPostgresError (one sentence for the problem, one for the next step) if the database cannot be used
 */
export async function joinEmbeddedPostgres(
  dataDir: string,
  { onNotice: notice = () => undefined }: { onNotice?: JoinNotice } = {},
): Promise<EmbeddedPostgres> {
  const directory = openDirectory(dataDir);
  let use = await beginUse(directory, notice);
  const { url } = use;
  let leaving: Promise<void> | undefined;
  let rejoining = Promise.resolve();

  // Opens a new session. Without a session of this process, the next process that leaves would stop the server.
  const rejoin = async () => {
    for (let lastMessage = ''; !leaving; await sleep(RETRY_PAUSE_MS, undefined, { ref: false })) {
      try {
        use = await beginUse(directory, notice, use.port);
        rejoinOnEnd();
        return notice(
          use.url === url ? 'the database is running again' : 'the database has moved: start again',
        );
      } catch (error) {
        const { message } = error as Error;
        if (message !== lastMessage) notice(message);
        lastMessage = message;
      }
    }
  };
  const rejoinOnEnd = () => {
    use.session.once('end', () => {
      if (!leaving) rejoining = rejoin();
    });
  };
  const logTimer = setInterval(() => void rotateLog(directory, use.cluster), LOG_CHECK_MS).unref();
  const leaveNow = async () => {
    clearInterval(logTimer);
    await rejoining;
    await endUse(directory, use).catch((error: Error) =>
      notice(`the database keeps running: ${error.message}`),
    );
  };

  rejoinOnEnd();
  return { url, leave: () => (leaving ??= leaveNow()) };
}

/**
 * Returns whether the directory has an embedded database. Creates nothing. A database of another PostgreSQL version counts too, because
 * joinEmbeddedPostgres explains why that database cannot be used. A database that is still being created does not count: it has another
 * name.
 */
export function hasDatabase(dataDir: string): boolean {
  return entriesOf(dataDir).some(
    (name) => /^pg\d+$/.test(name) && entriesOf(path.join(dataDir, name)).length > 0,
  );
}

/** Lists a directory. An unreadable directory counts as not empty, because joinEmbeddedPostgres then explains why it cannot be used. */
function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : [`pg${bundledRelease().major}`];
  }
}

/** Returns the URL of the embedded database if its server runs. Does not start the server, and does not keep it running. */
export function findRunningPostgres(dataDir: string): string | undefined {
  const inPlace = path.join(dataDir, `pg${bundledRelease().major}`);
  const directory = existsSync(inPlace) ? realpathSync(inPlace) : undefined;
  const server = directory === undefined ? undefined : readyServer(directory);
  return server && serviceUrl(directory!, server.port);
}

/** Lets the embedded database have people, whose logins the service role makes. The server must run. */
export async function allowPeople(dataDir: string): Promise<void> {
  const directory = realpathSync(path.join(dataDir, `pg${bundledRelease().major}`));
  await allowLogins(directory, readyServer(directory)!.port);
}

/**
 * Rotates the server's log unless another process holds the start lock. Ignores errors, because a timer calls this function again each
 * minute.
 */
async function rotateLog(dataDir: string, { directory }: Cluster): Promise<void> {
  const rotate = () => Promise.resolve(rotateServerLog(directory));
  await withStartLock(startLock(dataDir), { waitMs: 0 }, rotate).catch(() => undefined);
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

/**
 * Finds or starts the server and opens the session. Holds the start lock for both steps, so that no other process stops the server in
 * between.
 */
async function beginUse(dataDir: string, notice: JoinNotice, earlierPort?: number): Promise<Use> {
  const { major } = bundledRelease();
  return withStartLock(startLock(dataDir), { waitMs: JOIN_WAIT_MS, onWait: notice }, async () => {
    const cluster = await placeCluster(dataDir, major, notice);
    const deadline = Date.now() + READY_WAIT_MS;
    for (let refusals = 0; ; await sleep(JOIN_PAUSE_MS)) {
      const found = await findServer(cluster.directory);
      const { port } = found ?? (await createAndStart(cluster, notice, earlierPort));
      try {
        const session = await openSession(cluster, port, found === undefined);
        return { session, cluster, port, url: serviceUrl(cluster.directory, port) };
      } catch (error) {
        if (error instanceof EmbeddedPostgresError) throw error;
        // Tries again while the server recovers from the crash of one of its processes: postmaster.pid still says "ready" during this
        // recovery.
        if (sqlState(error) === CANNOT_CONNECT_NOW && Date.now() < deadline) continue;
        // Tries only a few times. The server may have ended after it was found, or services of an earlier release may lock the tables.
        if (++refusals === JOIN_ATTEMPTS) throw cannotJoin(cluster, port, error as Error);
      }
    }
  });
}

async function createAndStart(
  cluster: Cluster,
  notice: JoinNotice,
  earlierPort?: number,
): Promise<RunningServer> {
  const binaries = await usableBinaries(bundledRelease(), cluster.account);
  if (await createCluster(cluster, binaries, SETTINGS)) {
    const warning = isNobody(cluster.account)
      ? ', open to every other program that runs as "nobody" on this machine'
      : '';
    notice(`created a new database in ${cluster.directory}${warning}`);
  }
  return startServer(cluster, binaries, earlierPort);
}

async function openSession({ directory }: Cluster, port: number, isNewServer: boolean): Promise<pg.Client> {
  const session = superuserClient(directory, port, 'postgres');
  try {
    await session.connect();
    await session.query('select pg_advisory_lock_shared($1)', [IN_USE_LOCK]);
    await ensureDatabase(session, { directory, port, isNewServer });
  } catch (error) {
    await session.end().catch(() => undefined);
    throw error;
  }
  // Lets this process end although the session is open: the session alone does not keep the process alive.
  keepsProcessAlive(session, false);
  return session;
}

/** Stops the server if no other process uses it. Holds the start lock, so that no process joins a server that is about to stop. */
async function endUse(dataDir: string, { session, cluster }: Use): Promise<void> {
  keepsProcessAlive(session, true);
  try {
    await withStartLock(startLock(dataDir), { waitMs: LEAVE_WAIT_MS }, async () => {
      await session.query('select pg_advisory_unlock_shared($1)', [IN_USE_LOCK]);
      const { rows } = await session.query<{ is_last: boolean }>(
        'select pg_try_advisory_lock($1) as is_last',
        [IN_USE_LOCK],
      );
      await session.end();
      if (rows[0]?.is_last) await stopServer(cluster.directory);
    });
  } finally {
    await session.end();
  }
}

/** Calls ref() or unref(), which pg's types omit. */
function keepsProcessAlive(session: pg.Client, yes: boolean): void {
  const socket = session as unknown as Record<'ref' | 'unref', () => void>;
  socket[yes ? 'ref' : 'unref']();
}

function cannotJoin({ directory }: Cluster, port: number, error: Error): EmbeddedPostgresError {
  if ([LOCK_NOT_AVAILABLE, DEADLOCK].includes(sqlState(error) ?? ''))
    return new EmbeddedPostgresError(
      'The database is still in use by services of an earlier release, so it cannot be given to the new role',
      'Stop those services (Ctrl-C, or SIGTERM) and start again',
    );
  return new EmbeddedPostgresError(
    `The database server of ${directory} on port ${port} refuses the connection (${error.message})`,
    isDiskFull(directory, error.message)
      ? FREE_SPACE
      : `Its log is ${path.join(directory, 'server.log')}; end the process named in postmaster.pid, and start again`,
  );
}

function startLock(dataDir: string): string {
  return path.join(dataDir, `pg${bundledRelease().major}.lock`);
}
