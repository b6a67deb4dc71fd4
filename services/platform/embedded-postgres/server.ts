import {
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readDiskSpace } from '../directories';
import { readClusterFile, runAs, withClusterFile } from './account';
import type { Binaries } from './binaries';
import type { Cluster } from './cluster';
import { EmbeddedPostgresError } from './embedded-postgres.errors';
import { answersSignals, servesDirectory } from './start-lock';

export interface RunningServer {
  pid: number;
  port: number;
}

/**
 * The time in which a server must become ready. A recovery with a long write-ahead log takes minutes, and pg_ctl itself gives up after one
 * minute.
 */
export const READY_WAIT_MS = 10 * 60_000;
const PID_FILE = 'postmaster.pid';
const SERVER_LOG = 'server.log';
/** A larger log is rotated. One earlier log is kept, `server.log.1`. */
const SERVER_LOG_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024;
const TAIL_LINES = 15;
/** Is above the highest pid of every system. */
const UNUSED_PID = 2 ** 31 - 2;
/**
 * Matches the error of a start that failed because processes of a killed server still run. These processes end as soon as they notice that
 * their server is gone.
 */
const STILL_ENDING = /pre-existing shared memory block/;
const START_ATTEMPTS = 10;
const STOP_WAIT_MS = 60_000;
export const FREE_SPACE = 'The disk is full: free some space and start again';

/**
 * Returns the server that uses the directory, once that server is ready. Returns undefined if no server uses the directory, so that a new
 * one can start.
 */
export async function findServer(directory: string): Promise<RunningServer | undefined> {
  for (const deadline = Date.now() + READY_WAIT_MS; ; await sleep(20)) {
    const found = readPidFile(directory);
    if (!found) return undefined;
    if (!servesDirectory(found.pid, directory)) {
      // Replaces the pid in the file if another process has this pid now. PostgreSQL itself only notices a pid that no process has.
      if (answersSignals(found.pid)) replacePid(directory);
      return undefined;
    }
    if (found.status === 'ready') return { pid: found.pid, port: found.port };
    if (Date.now() > deadline) throw neverReady(directory, found.pid, found.status);
  }
}

/** Returns the server that uses the directory, if it is ready. Needs no lock, because it changes nothing. */
export function readyServer(directory: string): RunningServer | undefined {
  const found = readPidFile(directory);
  if (found?.status !== 'ready' || !servesDirectory(found.pid, directory)) return undefined;
  return { pid: found.pid, port: found.port };
}

/**
 * Starts the server on 127.0.0.1. Uses the port of its last start if it is free, so that the addresses of people stay right, otherwise a port that the system chooses. pg_ctl starts the server
 * in a separate session, so Ctrl-C does not reach the server. Needs the start lock.
 */
export async function startServer(
  { directory, account }: Cluster,
  { programs }: Pick<Binaries, 'programs'>,
  earlierPort?: number,
): Promise<RunningServer> {
  for (let attempt = 1, port = earlierPort ?? lastPort(directory) ?? (await freePort()); ; attempt++) {
    rotateServerLog(directory);
    const from = serverLogSize(directory);
    // Sets these options on the command line, which overrides postgresql.conf: no other machine can ever connect, and the log has no values
    // of refused rows.
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c log_error_verbosity=terse`;
    const { output } = await runAs(
      account,
      path.join(programs, 'pg_ctl'),
      ['start', '--silent', '--wait', '--timeout=60', `--log=${SERVER_LOG}`, `--options=${options}`],
      // Passes the log as a relative path and the directory in PGDATA, because pg_ctl puts its path arguments into double quotes of a
      // shell.
      { cwd: directory, env: { PGDATA: directory } },
    );
    const server = await findServer(directory);
    if (server) return server;
    const log = tailServerLog(directory, from) || output;
    const isPortTaken = /could not bind|could not create any TCP\/IP sockets/.test(log);
    if (attempt === START_ATTEMPTS || !(isPortTaken || STILL_ENDING.test(log)))
      throw cannotStart(directory, log);
    if (isPortTaken) port = await freePort();
    await sleep(50 * attempt);
  }
}

/** Ends all sessions and stops the server, if there is one. After 'immediate' the next start runs a recovery. */
export async function stopServer(directory: string, mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
  const server = await findServer(directory);
  if (!server) return;
  // Sends the signals that pg_ctl would send. pg_ctl checks only ten times a second whether the server has ended.
  process.kill(server.pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  for (const deadline = Date.now() + STOP_WAIT_MS; servesDirectory(server.pid, directory); await sleep(5)) {
    if (Date.now() > deadline) throw new Error(`process ${server.pid} does not end`);
  }
}

/** Reads the first eight lines: pid, directory, start, port, socket directory, address, shared memory, status. */
function readPidFile(directory: string): { pid: number; port: number; status: string } | undefined {
  try {
    const lines = readClusterFile(directory, PID_FILE).split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() ?? '' };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Writes an unused pid into postmaster.pid. Otherwise PostgreSQL takes a zombie, or another process with this pid, for the dead server, and
 * does not start. Keeps the file: PostgreSQL needs its shared memory line to notice processes of the dead server that still use the
 * directory.
 */
function replacePid(directory: string): void {
  const rewrite = (file: number) => {
    const [, ...rest] = readFileSync(file, 'utf8').split('\n');
    ftruncateSync(file);
    writeSync(file, [UNUSED_PID, ...rest].join('\n'), 0);
  };
  withClusterFile(directory, PID_FILE, rewrite, constants.O_RDWR);
}

/** Returns the port of the last start, which PostgreSQL keeps with its other options. Undefined: it has never started. */
function lastPort(directory: string): number | undefined {
  try {
    const [, port] = /"-p" "(\d+)"/.exec(readClusterFile(directory, 'postmaster.opts')) ?? [];
    return port === undefined ? undefined : Number(port);
  } catch {
    return undefined;
  }
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
  let nextStep = `The end of its log (${path.join(directory, SERVER_LOG)}) follows; or set DATABASE_URL to a PostgreSQL of your own`;
  if (STILL_ENDING.test(log)) nextStep = 'Processes of an earlier server still run there: end them';
  if (isDiskFull(directory, log)) nextStep = FREE_SPACE;
  return new EmbeddedPostgresError(`The database server does not start in ${directory}`, nextStep, log);
}

/** Returns true if the server's report or the free space shows that the disk is full. On a full disk the report may be missing. */
export function isDiskFull(directory: string, report: string): boolean {
  return /No space left on device/.test(report) || readDiskSpace(directory)?.state === 'full';
}

function neverReady(directory: string, pid: number, status: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The database server (pid ${pid}) is still "${status}" after ten minutes`,
    'If its log shows no progress, end that process and start again',
    tailServerLog(directory, 0),
  );
}

/** Returns the log's size in bytes; 0 if there is no log. */
function serverLogSize(directory: string): number {
  return statSync(path.join(directory, SERVER_LOG), { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Copies the last 10 MiB of a larger log to `server.log.1`, and then empties the log. Does not rename the log, because the server keeps the
 * file open. Lines that the server writes between the copy and the emptying are lost. Needs the start lock.
 */
export function rotateServerLog(directory: string, limit = SERVER_LOG_BYTES): void {
  if (serverLogSize(directory) < limit) return;
  const rotate = (file: number) => {
    const copy = path.join(directory, `${SERVER_LOG}.1`);
    rmSync(copy, { force: true });
    // Fails if another program has put a link in the place of the copy.
    writeFileSync(copy, readEnd(file, SERVER_LOG_BYTES), { flag: 'wx', mode: 0o600 });
    ftruncateSync(file);
  };
  withClusterFile(directory, SERVER_LOG, rotate, constants.O_RDWR);
}

/** Returns the last lines of the log after position `from`. Earlier lines are about other problems, and may contain names of people. */
function tailServerLog(directory: string, from: number): string {
  if (!existsSync(path.join(directory, SERVER_LOG))) return '';
  const text = withClusterFile(directory, SERVER_LOG, (file) => readEnd(file, TAIL_BYTES, from));
  return text.toString('utf8').trim().split('\n').slice(-TAIL_LINES).join('\n');
}

function readEnd(file: number, bytes: number, from = 0): Buffer {
  const { size } = fstatSync(file);
  const begin = Math.max(from, size - bytes);
  const buffer = Buffer.alloc(Math.max(0, size - begin));
  return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, begin));
}
