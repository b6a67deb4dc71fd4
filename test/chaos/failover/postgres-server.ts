import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openDatabase } from '../../../services/platform/database/database';
import { accountFor, runAs } from '../../../services/platform/embedded-postgres/account';
import { type Child, startChild, untilReady } from '../../stack/child';
import { processTree, signalAll } from './processes';
import { serverPrograms } from './server-programs';

const USER = 'tours';
const PASSWORD = 'a password for one run';
const ENV = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin', PGPASSWORD: PASSWORD };

/** One of the two servers. It keeps its port over restarts. */
export interface PostgresServer {
  name: string;
  port: number;
  /** URL of the database, without the pooler. */
  url: string;
  start(): Promise<void>;
  /** Sends SIGKILL to the postmaster and its children, like a loss of power. */
  crash(): void;
  /** Promotes a standby; resolves when it accepts writes. */
  promote(): Promise<void>;
  /** Replaces the server's data with a copy of the primary's data, and starts the server as standby. */
  rebuildFrom(primary: PostgresServer): Promise<void>;
  /** Disconnects clients and ends the server. */
  stop(): Promise<void>;
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // Keeps enough WAL for a slow copy.
  wal_keep_size: '256MB',
  log_min_messages: 'warning',
  log_min_error_statement: 'panic',
};

export function describeServer(dir: string, name: string, port: number): PostgresServer {
  const bin = serverPrograms()!;
  const account = accountFor();
  const data = path.join(dir, name);
  const url = `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${USER}`;
  let child: Child | undefined;

  const server: PostgresServer = {
    name,
    port,
    url,
    async start() {
      const settings = Object.entries({ ...SETTINGS, port }).flatMap(([key, value]) => [
        '-c',
        `${key}=${value}`,
      ]);
      child = startChild({
        name: `PostgreSQL ${name}`,
        program: path.join(bin, 'postgres'),
        args: ['-D', data, ...settings],
        ...account,
        env: ENV,
        cwd: '/',
        logFile: path.join(dir, `${name}.log`),
      });
      const asking = ['-h', '127.0.0.1', '-p', `${port}`, '-U', USER];
      await untilReady(
        child,
        `PostgreSQL ${name}`,
        async () => (await runAs(account, path.join(bin, 'pg_isready'), asking)).ok,
      );
    },
    crash() {
      // Paused first, because the postmaster would start other processes.
      process.kill(child!.pid, 'SIGSTOP');
      signalAll(processTree(child!.pid), 'SIGKILL');
    },
    promote: () => run(path.join(bin, 'pg_ctl'), ['promote', '-w', '-D', data]),
    async rebuildFrom(primary) {
      if (child) {
        if (child.isRunning()) server.crash();
        await child.stop('SIGKILL');
      }
      rmSync(data, { recursive: true, force: true });
      // The name in the primary's synchronous_standby_names.
      const from = `host=127.0.0.1 port=${primary.port} user=${USER} application_name=${name}`;
      await run(path.join(bin, 'pg_basebackup'), [
        '-D',
        data,
        '-d',
        from,
        '-R',
        '-X',
        'stream',
        '-c',
        'fast',
      ]);
      await server.start();
    },
    async stop() {
      await child?.stop('SIGINT');
    },
  };
  return server;
}

/** Starts a new cluster with the user and an empty database of that name. */
export async function createPrimary(server: PostgresServer, dir: string): Promise<void> {
  const passwordFile = path.join(dir, 'password');
  writeFileSync(passwordFile, PASSWORD, { mode: 0o600 });
  own(passwordFile);
  const options = ['-U', USER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--locale=C'];
  await run(path.join(serverPrograms()!, 'initdb'), ['-D', path.join(dir, server.name), ...options]);
  await server.start();
  await onServer({ ...server, url: server.url.replace(/[^/]*$/, 'postgres') }, (db) =>
    db.raw('create database ??', [USER]),
  );
}

/** Creates a directory that the servers' account owns, as PostgreSQL and PgBouncer require. */
export function makeFolder(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  own(dir);
}

/**
 * Makes each COMMIT on `primary` wait until the standby has written the COMMIT to disk. Without a standby, no COMMIT waits. Resolves when
 * the setting applies.
 */
export async function waitForStandby(
  primary: PostgresServer,
  standby: PostgresServer | undefined,
): Promise<void> {
  await onServer(primary, async (db) => {
    await db.raw(`alter system set synchronous_standby_names = '${standby?.name ?? ''}'`);
    await db.raw('select pg_reload_conf()');
    const inSync = async () => {
      const { rows } = await db.raw(
        `select 1 from pg_stat_replication where sync_state = 'sync' and state = 'streaming'`,
      );
      return rows.length === (standby ? 1 : 0);
    };
    for (let tries = 1; !(await inSync()); tries++) {
      if (tries > 200)
        throw new Error(`${standby?.name} did not become the synchronous standby of ${primary.name}`);
      await sleep(50);
    }
  });
}

export async function onServer<T>({ url }: { url: string }, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDatabase(url, { applicationName: 'operator', poolMax: 1 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

async function run(program: string, args: string[]): Promise<void> {
  const { ok, output } = await runAs(accountFor(), program, args, { env: ENV });
  if (!ok) throw new Error(`${path.basename(program)} failed: ${output}`);
}

function own(file: string): void {
  const { uid, gid } = accountFor();
  if (uid !== undefined) chownSync(file, uid, gid!);
}
