import { constants, ftruncateSync, readFileSync, writeSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runAs } from './account';
import type { Binaries } from './binaries';
import { readClusterFile, withClusterFile } from './cluster-file';
import { EmbeddedPostgresError } from './embedded-postgres.errors';
import type { Cluster } from './place-cluster';
import { answersSignals, servesDirectory } from './process-start';
import { beginServerLog, SERVER_LOG, tailServerLog } from './server-log';

export interface RunningServer {
  pid: number;
  port: number;
}

/** A recovery with much to replay takes its time; pg_ctl itself gives up after a minute. */
const READY_WAIT_MS = 10 * 60_000;
const PID_FILE = 'postmaster.pid';
/** Above every system's highest pid. */
const NOBODYS_PID = 2 ** 31 - 2;
const START_ATTEMPTS = 10;
const STOP_WAIT_MS = 60_000;

/** The server at work in the directory, once it is ready; undefined if there is none, and then none is in the way. */
export async function findServer(directory: string): Promise<RunningServer | undefined> {
  for (const deadline = Date.now() + READY_WAIT_MS; ; await sleep(20)) {
    const found = readPostmasterPid(directory);
    if (!found) return undefined;
    if (!servesDirectory(found.pid, directory)) {
      // For a pid without a process PostgreSQL sees that by itself.
      if (answersSignals(found.pid)) disown(directory);
      return undefined;
    }
    if (found.status === 'ready') return { pid: found.pid, port: found.port };
    if (Date.now() > deadline) throw neverReady(directory, found.pid, found.status);
  }
}

/**
 * Starts the server on 127.0.0.1, on the port of an earlier run if it is given and free, else on one that the system
 * chooses. pg_ctl puts it into a session of its own, so that Ctrl-C reaches us alone. To be called under the start lock.
 */
export async function startServer(
  { directory, account }: Cluster,
  { programs }: Binaries,
  earlierPort?: number,
): Promise<RunningServer> {
  for (let attempt = 1, port = earlierPort ?? (await freePort()); ; attempt++) {
    const from = beginServerLog(directory);
    // On the command line and not in postgresql.conf: whatever that says, nothing outside this machine gets in.
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
    const { output } = await runAs(
      account,
      path.join(programs, 'pg_ctl'),
      ['start', '--silent', '--wait', '--timeout=60', `--log=${SERVER_LOG}`, `--options=${options}`],
      // Relative to the directory, and that by PGDATA: pg_ctl would put both between double quotes of a shell.
      { cwd: directory, env: { PGDATA: directory } },
    );
    const server = await findServer(directory);
    if (server) return server;
    const log = tailServerLog(directory, from) || output;
    const portTaken = /could not bind|could not create any TCP\/IP sockets/.test(log);
    // Processes of a killed server are about to see that it is gone.
    const notYetGone = /pre-existing shared memory block/.test(log);
    if (attempt === START_ATTEMPTS || !(portTaken || notYetGone)) throw cannotStart(directory, log);
    if (portTaken) port = await freePort();
    await sleep(50 * attempt);
  }
}

/** Ends all sessions and stops the server, if there is one; 'immediate' leaves it to the next start to recover. */
export async function stopServer(directory: string, mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
  const server = await findServer(directory);
  if (!server) return;
  // The signals that pg_ctl would send; but pg_ctl looks only ten times a second whether the server is gone.
  process.kill(server.pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  for (const deadline = Date.now() + STOP_WAIT_MS; servesDirectory(server.pid, directory); await sleep(5)) {
    if (Date.now() > deadline) throw new Error(`process ${server.pid} does not end`);
  }
}

/** The first eight lines: pid, directory, start, port, socket directory, address, shared memory, status. */
function readPostmasterPid(directory: string): { pid: number; port: number; status: string } | undefined {
  try {
    const lines = readClusterFile(directory, PID_FILE).split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() ?? '' };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Of a zombie, or of a stranger that got the pid of the dead server, PostgreSQL believes that it lives, and refuses. The
 * file is not deleted but given a pid that nobody has: by its shared memory line PostgreSQL still sees whether some
 * process of the dead server is at work in the directory.
 */
function disown(directory: string): void {
  const rewrite = (file: number) => {
    const [, ...rest] = readFileSync(file, 'utf8').split('\n');
    ftruncateSync(file);
    writeSync(file, [NOBODYS_PID, ...rest].join('\n'), 0);
  };
  withClusterFile(directory, PID_FILE, rewrite, constants.O_RDWR);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

function cannotStart(directory: string, log: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The database server does not start in ${directory}`,
    whatToDo(directory, log),
    log,
  );
}

function whatToDo(directory: string, log: string): string {
  if (/No space left on device/.test(log)) return 'The disk is full: make room and start again';
  if (/pre-existing shared memory/.test(log))
    return 'Processes of an earlier server still run there: end them';
  return `The end of its log (${path.join(directory, SERVER_LOG)}) follows; or set DATABASE_URL to a PostgreSQL of your own`;
}

function neverReady(directory: string, pid: number, status: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The database server (pid ${pid}) is still "${status}" after ten minutes`,
    'If its log shows no progress, end that process and start again',
    tailServerLog(directory, 0),
  );
}
