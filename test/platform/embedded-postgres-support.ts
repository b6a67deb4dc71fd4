import { type ChildProcess, execFileSync, fork, type ForkOptions } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { joinEmbeddedPostgres } from '../../services/platform/embedded-postgres/embedded-postgres';
import { stopServer } from '../../services/platform/embedded-postgres/server';
import { LOAD_TYPESCRIPT } from '../support/service-entry';

export interface Told {
  url?: string;
  notice?: string;
  error?: string;
  ready?: boolean;
  done?: boolean;
  programs?: string;
}

const ROOT = path.resolve(__dirname, '../..');
const directories: string[] = [];
const children: ChildProcess[] = [];

/** Creates a temporary directory. `removeDirectories` stops the server in it and removes it. */
export function temporaryDirectory(prefix = 'embedded-postgres-test-'): string {
  const directory = mkdtempSync(path.join(tmpdir(), prefix));
  directories.push(directory);
  // A server that root starts runs as another account. This account must be able to enter the directory.
  chmodSync(directory, 0o755);
  return directory;
}

/** Creates a copy of the data directory with its cluster. The server of `dataDir` must be stopped. */
export function cloneOf(dataDir: string): string {
  const clone = temporaryDirectory();
  execFileSync('cp', ['-a', path.join(dataDir, 'pg18'), clone]);
  return clone;
}

/** Creates a new database, and stops its server. */
export async function newDatabase(): Promise<string> {
  const dataDir = temporaryDirectory();
  await (await joinEmbeddedPostgres(dataDir)).leave();
  return dataDir;
}

/** Returns the error of a start that must fail. */
export async function failure(dataDir: string): Promise<Error> {
  return joinEmbeddedPostgres(dataDir).then(
    () => Promise.reject(new Error('it started')),
    (error: Error) => error,
  );
}

/** Ends the processes of the tests, and stops and removes their databases. */
export async function removeDirectories(): Promise<void> {
  for (const child of children.splice(0)) await end(child);
  for (const directory of directories.splice(0)) {
    await stopServer(path.join(directory, 'pg18'), 'immediate').catch(() => undefined);
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

export function startProcess(task: string[], options: ForkOptions = {}): ChildProcess {
  const child = fork(path.join(__dirname, 'embedded-postgres-process.ts'), task, {
    cwd: ROOT,
    execArgv: LOAD_TYPESCRIPT,
    ...options,
  });
  children.push(child);
  return child;
}

/** Returns the next message of the process; skips notices. */
export function nextWord(child: ChildProcess): Promise<Told> {
  return new Promise((resolve, reject) => {
    child.on('message', (told: Told) => told.notice ?? resolve(told));
    child.once('exit', (code, signal) => reject(new Error(`process ended: ${code ?? signal}`)));
  });
}

export async function joinInProcess(
  dataDir: string,
  options?: ForkOptions,
): Promise<{ child: ChildProcess; url: string }> {
  const child = startProcess(['join', dataDir], options);
  const { url, error } = await nextWord(child);
  if (!url) throw new Error(error);
  return { child, url };
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}

export async function leave(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.send('leave');
  await gone;
}

export async function ask<T extends pg.QueryResultRow>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Reads postmaster.pid, which the server removes when it stops. */
export function serverPid(dataDir: string): number | undefined {
  const file = path.join(dataDir, 'pg18/postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined;
}

export async function until(condition: () => boolean | Promise<boolean>, ms = 10_000): Promise<void> {
  for (const deadline = Date.now() + ms; !(await condition()); await sleep(20)) {
    if (Date.now() > deadline) throw new Error(`not within ${ms} ms`);
  }
}
