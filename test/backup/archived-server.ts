import { chownSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { accountFor, runAs } from '../../services/platform/embedded-postgres/account';
import { onServer } from '../chaos/failover/postgres-server';
import { serverPrograms } from '../chaos/failover/server-programs';
import { type Child, startChild, untilReady } from '../stack/child';
import { DOCKER, documentsOf } from '../stack/docker-files';

const { environment, command } = documentsOf('compose.archive.yaml')[0].services.postgres as {
  environment: Record<string, string>;
  command: string[];
};
const PASSWORD = 'a password for one run';
const account = accountFor();

/** A PostgreSQL server of the apt package that archives its WAL as compose.archive.yaml configures it. */
export interface ArchivedServer {
  /** The database `tours`, for a superuser. */
  url: string;
  /** Resolves when the server accepts writes: after a restore, when it has recovered. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Runs pgbackrest as the container does. @returns its output @throws Error with the output of a failed command */
  pgbackrest(...args: string[]): Promise<string>;
}

/** Where a server outside its container has its files. */
export interface ServerPlace {
  data: string;
  /** The folder of its socket. */
  socket: string;
  port: number;
}

/** Creates the folder of an archive, which the account of the servers owns. */
export function createArchive(folder: string): void {
  mkdirSync(folder, { mode: 0o700 });
  copyFileSync(path.join(DOCKER, 'pgbackrest/pgbackrest.conf'), path.join(folder, 'pgbackrest.conf'));
  own(folder);
}

/** Returns the variables with which pgbackrest uses the shipped configuration for a server outside its container. */
export function archiveVariables(
  archive: string,
  { data, socket, port }: ServerPlace,
): Record<string, string> {
  return {
    ...environment,
    PGBACKREST_CONFIG: path.join(archive, 'pgbackrest.conf'),
    PGBACKREST_REPO1_PATH: path.join(archive, 'repository'),
    PGBACKREST_LOCK_PATH: path.join(socket, 'lock'),
    PGBACKREST_PG1_PATH: data,
    PGBACKREST_PG1_PORT: `${port}`,
    PGBACKREST_PG1_SOCKET_PATH: socket,
    PGBACKREST_PG1_USER: 'postgres',
  };
}

function own(file: string): void {
  if (account.uid !== undefined) chownSync(file, account.uid, account.gid!);
}

/**
 * Creates and starts a server with an empty database `tours`, and the stanza of its archive.
 * @param dir an empty folder, which the server's account then owns
 */
export async function createArchivedServer(dir: string, port: number): Promise<ArchivedServer> {
  const server = describeServer(dir, port);
  own(dir);
  createArchive(path.join(dir, 'archive'));
  writeFileSync(path.join(dir, 'password'), PASSWORD, { mode: 0o600 });
  own(path.join(dir, 'password'));
  // As the image does: a connection over the socket needs no password.
  const access = [
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
    `--pwfile=${path.join(dir, 'password')}`,
  ];
  const form = ['--username=postgres', '--encoding=UTF8', '--locale=C', '--data-checksums'];
  await run(path.join(serverPrograms()!, 'initdb'), ['-D', path.join(dir, 'data'), ...form, ...access]);
  await server.start();
  await onServer({ url: server.url.replace(/tours$/, 'postgres') }, (db) => db.raw('create database tours'));
  await server.pgbackrest('stanza-create');
  return server;
}

function describeServer(dir: string, port: number): ArchivedServer {
  const url = `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/tours`;
  const place = { data: path.join(dir, 'data'), socket: dir, port };
  const env = {
    LC_ALL: 'C',
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...archiveVariables(path.join(dir, 'archive'), place),
  };
  const places = ['-D', place.data, '-p', `${port}`, '-k', dir];
  let child: Child;
  return {
    url,
    async start() {
      child = startChild({
        name: 'PostgreSQL',
        program: path.join(serverPrograms()!, 'postgres'),
        args: [...places, ...command.slice(1)],
        ...account,
        env,
        cwd: '/',
        logFile: path.join(dir, 'postgres.log'),
      });
      await untilReady(child, 'PostgreSQL', async () => !(await isRecovering(url)));
    },
    // A fast shutdown: disconnects clients.
    stop: async () => void (await child.stop('SIGINT')),
    pgbackrest: (...args) => run('pgbackrest', args, env),
  };
}

async function isRecovering(url: string): Promise<boolean> {
  return onServer({ url: url.replace(/tours$/, 'postgres') }, async (db) => {
    const { rows } = await db.raw<{ rows: [{ recovering: boolean }] }>(
      'select pg_is_in_recovery() as recovering',
    );
    return rows[0].recovering;
  });
}

async function run(program: string, args: string[], env?: Record<string, string>): Promise<string> {
  const { ok, output } = await runAs(account, program, args, { env });
  if (!ok) throw new Error(`${path.basename(program)} ${args.join(' ')} failed: ${output}`);
  return output;
}
