import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openDatabase } from '../../../services/platform/database';
import { accountFor, runAs } from '../../../services/platform/embedded-postgres/account';
import { type Child, startChild, untilReady } from '../../stack/child';

/** Where the system's package keeps what the embedded server lacks: pg_basebackup. The newest; undefined without any. */
export function serverPrograms(): string | undefined {
  const packages = '/usr/lib/postgresql';
  const majors = existsSync(packages) ? readdirSync(packages) : [];
  return majors
    .sort((a, b) => Number(b) - Number(a))
    .map((major) => path.join(packages, major, 'bin'))
    .find((bin) =>
      ['initdb', 'postgres', 'pg_ctl', 'pg_basebackup'].every((p) => existsSync(path.join(bin, p))),
    );
}

export const USER = 'tours';
const PASSWORD = 'a password for one run';
const ENV = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin', PGPASSWORD: PASSWORD };

/** One of the two, on a port that it keeps; it stops by itself with none of our signals but those below. */
export interface PostgresServer {
  name: string;
  port: number;
  /** Of the database that is served, past the pooler. */
  url: string;
  child(): Child;
  start(): Promise<void>;
  /** SIGKILL for the postmaster and each of its children, as if the machine had lost its power. */
  crash(): void;
  /** SIGSTOP for all of them: its connections stay open, and nothing comes back on them. */
  freeze(): void;
  /** Stops what sends its WAL: a COMMIT is on its own disk, and on no other. Until it crashes. */
  holdBackWal(): void;
  /** A standby becomes a primary; resolves when it takes writes. */
  promote(): Promise<void>;
  /** Its data are thrown away, and copied from the primary; it starts as its standby. */
  rebuildFrom(primary: PostgresServer): Promise<void>;
  stop(): Promise<void>;
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // A copy that takes a while still finds what was written since it began.
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
    child: () => child!,
    async start() {
      const settings = Object.entries({ ...SETTINGS, port }).flatMap(([key, value]) => [
        '-c',
        `${key}=${value}`,
      ]);
      child = startChild({
        ...{
          name: `PostgreSQL ${name}`,
          program: path.join(bin, 'postgres'),
          args: ['-D', data, ...settings],
        },
        ...{ ...account, env: ENV, cwd: '/', logFile: path.join(dir, `${name}.log`) },
      });
      const asking = ['-h', '127.0.0.1', '-p', `${port}`, '-U', USER];
      await untilReady(
        child,
        `PostgreSQL ${name}`,
        async () => (await runAs(account, path.join(bin, 'pg_isready'), asking)).ok,
      );
    },
    crash: () => signalAll(child!, 'SIGKILL'),
    freeze: () => signalAll(child!, 'SIGSTOP'),
    holdBackWal() {
      const sender = childrenOf(child!).find((pid) =>
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('walsender'),
      );
      process.kill(sender!, 'SIGSTOP');
    },
    promote: () => run(path.join(bin, 'pg_ctl'), ['promote', '-w', '-D', data]),
    async rebuildFrom(primary) {
      if (child) {
        if (child.isRunning()) server.crash();
        await child.stop('SIGKILL');
      }
      rmSync(data, { recursive: true, force: true });
      // The name by which the primary knows whom to wait for.
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
      // Whoever is connected is told and dropped. One that is frozen would not hear of it.
      if (child?.isRunning()) signalAll(child, 'SIGCONT');
      await child?.stop('SIGINT');
    },
  };
  return server;
}

/** A new cluster with the user and an empty database of that name, running. */
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

/** A folder that the servers' account owns, as PostgreSQL and PgBouncer want it. */
export function makeFolder(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  own(dir);
}

/**
 * From now on a COMMIT on `primary` waits until that standby has it on its disk, and `undefined`: for nobody. Resolves when it is so.
 * A standby's own setting is none, or a promoted one would wait for the server that died.
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

/** The postmaster stands still first: it would start others meanwhile, or take notice. */
function signalAll(postmaster: Child, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
  process.kill(postmaster.pid, 'SIGSTOP');
  for (const pid of [...childrenOf(postmaster), postmaster.pid]) process.kill(pid, signal);
}

function childrenOf({ pid }: Child): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}
