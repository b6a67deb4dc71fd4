import { execFile } from 'node:child_process';
import { lchownSync, readFileSync, statSync } from 'node:fs';
import { EmbeddedPostgresError } from './embedded-postgres.errors';

/** Under which PostgreSQL runs: empty for our own. PostgreSQL refuses root, so root lends it an unprivileged one. */
export interface Account {
  uid?: number;
  gid?: number;
}

/** No account is ever created: the system's `postgres` or `nobody` do. */
const UNPRIVILEGED = ['postgres', 'nobody'];

/** The account for the cluster in `directory`: its owner where it exists, for PostgreSQL insists on that. */
export function accountFor(directory?: string): Account {
  if (process.geteuid?.() !== 0) return {};
  const owner = directory ? statSync(directory, { throwIfNoEntry: false }) : undefined;
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  for (const name of UNPRIVILEGED) {
    const account = systemAccount(name);
    if (account) return account;
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root, and this system has neither an account "postgres" nor "nobody"',
    'Run as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own',
  );
}

/** Whether it is the account that strangers' programs run as, too: each of those can read and change the database. */
export function isNobody({ uid }: Account): boolean {
  return uid !== undefined && uid === systemAccount('nobody')?.uid;
}

function systemAccount(name: string): Account | undefined {
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

export function giveTo(account: Account, file: string): void {
  if (account.uid !== undefined && account.gid !== undefined) lchownSync(file, account.uid, account.gid);
}

export interface Outcome {
  ok: boolean;
  /** stdout, stderr, and why it could not be run at all. */
  output: string;
}

/** Runs a program as that account, with an environment of its own: no PG* variable of ours shall reach PostgreSQL. */
export function runAs(
  account: Account,
  file: string,
  args: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Outcome> {
  const env = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin', ...options.env };
  const spawning = { cwd: '/', ...options, ...account, env, encoding: 'utf8' } as const;
  return new Promise<Outcome>((resolve) => {
    execFile(file, args, spawning, (error, stdout, stderr) => {
      const reason = error && typeof error.code === 'string' ? error.message : '';
      resolve({ ok: !error, output: [stdout, stderr, reason].filter(Boolean).join('\n').trim() });
    });
  }).catch((error: NodeJS.ErrnoException) => {
    // What spawn() throws and does not pass on: a container may have taken from its root the right to be another.
    throw new EmbeddedPostgresError(
      `PostgreSQL cannot be run as uid ${account.uid ?? 'our own'} (${error.message})`,
      'Run as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own',
    );
  });
}

/** Asked of the system and not computed from modes: lists of access rights and mount options have a say too. */
export async function canEnter(account: Account, directory: string): Promise<boolean> {
  return (await runAs(account, '/bin/sh', ['-c', 'cd -- "$1"', 'sh', directory])).ok;
}

export async function canRead(account: Account, file: string): Promise<boolean> {
  return (await runAs(account, '/bin/sh', ['-c', 'test -r "$1"', 'sh', file])).ok;
}
