import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** An account of this system, as /etc/passwd has it. */
export interface SystemAccount {
  name: string;
  uid: number;
  gid: number;
}

/** Returns the accounts of /etc/passwd. Returns none where the system keeps them elsewhere. */
export function systemAccounts(): SystemAccount[] {
  try {
    return readFileSync('/etc/passwd', 'utf8').split('\n').flatMap(toAccount);
  } catch {
    return [];
  }
}

function toAccount(line: string): SystemAccount[] {
  const [name, , uid, gid] = line.split(':');
  return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
}

/** Returns true for the error of a file or directory that this account may not use. */
export function isAccessRefused(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/**
 * Returns the next step for a file that this account may not read: the account that may, with an example of a command line.
 * @rule which account to run as, where a file is unreadable: test/platform/env-file.long.test.ts
 */
export function runAsReader(file: string): string {
  const account = readerOf(file);
  const sudo = account === 'root' ? 'sudo' : `sudo -u ${account.startsWith('#') ? `'${account}'` : account}`;
  return `Run this as ${account}, who may read it, such as: ${sudo} tourctl …`;
}

/**
 * Returns the name of an account that may read the file, or `#<uid>` for one without a name. The owner may. A file of root that a group may
 * read is for the account of that group, such as a service's .env.
 */
function readerOf(file: string): string {
  const { uid, gid, mode } = statNearest(file);
  const accounts = systemAccounts();
  const isForGroup = uid === 0 && gid !== 0 && (mode & 0o040) !== 0;
  const member = isForGroup ? accounts.find((account) => account.gid === gid) : undefined;
  const reader = member ?? accounts.find((account) => account.uid === uid);
  return reader?.name ?? `#${uid}`;
}

/** Returns the facts of the file, or of the nearest directory above it whose facts this account may read. */
function statNearest(file: string): { uid: number; gid: number; mode: number } {
  try {
    return statSync(file);
  } catch (error) {
    const parent = path.dirname(file);
    if (parent === file) throw error;
    return statNearest(parent);
  }
}
