import { execFile } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  lstatSync,
  openSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { systemAccounts } from '../accounts';
import { makeDirectory } from '../directories';
import { EmbeddedPostgresError } from './embedded-postgres.errors';

export const PASSWORD_FILE = 'tour-platform.password';
const WITHOUT_ROOT = 'Run as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own';

/** The account that PostgreSQL runs as. Empty: the account of this process. PostgreSQL refuses to run as root. */
export interface Account {
  uid?: number;
  gid?: number;
}

/**
 * Returns the owner of the cluster, because PostgreSQL must run as this owner. If root creates a new cluster, returns `postgres` or
 * `nobody`.
 * @throws EmbeddedPostgresError for the cluster of another account, unless this process is root
 */
export function accountFor(directory?: string): Account {
  const uid = process.geteuid?.();
  const owner = directory ? statSync(directory, { throwIfNoEntry: false }) : undefined;
  if (uid !== 0) {
    if (uid === undefined || !owner || owner.uid === uid) return {};
    throw new EmbeddedPostgresError(
      `The database in ${directory} belongs to the account with uid ${owner.uid}, and you are uid ${uid}`,
      'Run as the account that made it (root for one that root made), or set DATA_DIR to another directory',
    );
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account = systemAccount('postgres') ?? systemAccount('nobody');
  if (account) return account;
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root, and this system has neither an account "postgres" nor "nobody"',
    WITHOUT_ROOT,
  );
}

/** Returns true for `nobody`: every other program that runs as `nobody` can read and change the database too. */
export function isNobody({ uid }: Account): boolean {
  return uid !== undefined && uid === systemAccount('nobody')?.uid;
}

function systemAccount(name: string): Account | undefined {
  const found = systemAccounts().find((account) => account.name === name);
  return found && { uid: found.uid, gid: found.gid };
}

export function giveTo(account: Account, file: string): void {
  if (account.uid !== undefined && account.gid !== undefined) lchownSync(file, account.uid, account.gid);
}

interface ProgramResult {
  ok: boolean;
  /** stdout, stderr, and the reason why the program could not run. */
  output: string;
}

/**
 * Runs a program as the account. Passes none of this process's environment variables to the program, because PostgreSQL reads PG*
 * variables.
 */
export function runAs(
  account: Account,
  file: string,
  args: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<ProgramResult> {
  const env = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin', ...options.env };
  const spawning = { cwd: '/', ...options, ...account, env, encoding: 'utf8' } as const;
  return new Promise<ProgramResult>((resolve) => {
    execFile(file, args, spawning, (error, stdout, stderr) => {
      const reason = error && typeof error.code === 'string' ? error.message : '';
      resolve({ ok: !error, output: [stdout, stderr, reason].filter(Boolean).join('\n').trim() });
    });
  }).catch((error: NodeJS.ErrnoException) => {
    // spawn() throws if a container has taken away root's right to change the account.
    throw new EmbeddedPostgresError(
      `PostgreSQL cannot run as uid ${account.uid ?? process.geteuid?.()} (${error.message})`,
      WITHOUT_ROOT,
    );
  });
}

/**
 * Returns whether the account can enter a directory. The operating system decides this in a test, because access control lists and mount
 * options matter too.
 */
export async function canEnter(account: Account, directory: string): Promise<boolean> {
  return (await runAs(account, '/bin/sh', ['-c', 'test -x "$1"', 'sh', directory])).ok;
}

/**
 * Returns the directory for files that the account cannot reach in their usual directory: the binaries, and a cluster below an inaccessible
 * home directory.
 * @throws the system's error for an account without a home directory
 */
export function fallbackDirectory(): string {
  return process.geteuid?.() === 0 ? '/var/lib/tour-platform' : path.join(homedir(), '.cache/tour-platform');
}

/**
 * Creates a directory that every account can read. Only this account may write to the directory, because programs are run from it.
 * @throws Error if another account owns the directory or can write to it, or the system's error
 */
export function makeOwnDirectory(directory: string): void {
  makeDirectory(directory, 0o755);
  const found = lstatSync(directory);
  if (!found.isDirectory() || found.uid !== process.geteuid?.() || (found.mode & 0o022) !== 0)
    throw new Error(`${directory} is not a directory that only this account can write to`);
  if ((found.mode & 0o555) !== 0o555) chmodSync(directory, 0o755);
}

/**
 * Opens a plain file of the cluster's owner for `work`. Refuses links and pipes. Otherwise a program of the owner could use
 * a link to make a root process open a file of another account, or a pipe to block a root process.
 * @throws EmbeddedPostgresError for anything but a plain file of the directory's owner; else the error of openSync
 */
export function withClusterFile<T>(
  directory: string,
  name: string,
  work: (file: number) => T,
  access: number = constants.O_RDONLY,
): T {
  const file = openWithoutLinks(path.join(directory, name), access);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.uid !== statSync(directory).uid)
      throw notAPlainFile(path.join(directory, name));
    return work(file);
  } finally {
    closeSync(file);
  }
}

function openWithoutLinks(file: string, access: number): number {
  try {
    return openSync(file, access | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ELOOP' ? notAPlainFile(file) : error;
  }
}

function notAPlainFile(file: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `${file} is not a plain file of the account that the database belongs to`,
    'Find out which program put it there, and restore the file or remove what is in its place',
  );
}

export function readClusterFile(directory: string, name: string): string {
  return withClusterFile(directory, name, (file) => readFileSync(file, 'utf8'));
}

/** Reads the superuser's password. */
export function readPassword(directory: string): string {
  try {
    return readClusterFile(directory, PASSWORD_FILE).trim();
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    throw new EmbeddedPostgresError(
      `The password of the database cannot be read (${(error as Error).message})`,
      'Restore that file, or move the directory away to begin with an empty database',
    );
  }
}
