import { randomUUID } from 'node:crypto';
import { readdirSync, readlinkSync, rmSync, symlinkSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execFileSync } from 'node:child_process';
import { EmbeddedPostgresError } from './embedded-postgres.errors';

interface Holder {
  /** Identifies the process (see ownTag). */
  tag: string;
  /** Identifies one acquisition of the lock by the process. */
  id: string;
}

const POLL_MS = 20;
/** Time after which `onWait` is called. A multiple of POLL_MS. */
const NOTIFY_AFTER_MS = 5000;

/**
 * Runs `work` while no other process, and no other call in this process, holds the lock with this path. The lock is a symbolic link whose
 * target names the holder. One exclusive step creates the link with its target, so no process reads an incomplete lock. The lock of a dead
 * holder is not removed. Instead, the next holder creates the link `<lock>.<id of the dead holder>`, again exclusively, so only one of two
 * concurrent processes gets it. If processes removed a dead lock and created a new one, a slow process could remove the new lock of a
 * faster one.
 * @throws EmbeddedPostgresError if the lock is not free within `waitMs`, or its directory is not writable
 */
export async function withStartLock<T>(
  lock: string,
  { waitMs, onWait }: { waitMs: number; onWait?: (line: string) => void },
  work: () => Promise<T>,
): Promise<T> {
  const release = await acquire(lock, waitMs, onWait);
  try {
    return await work();
  } finally {
    release();
  }
}

async function acquire(lock: string, waitMs: number, onWait?: (line: string) => void): Promise<() => void> {
  for (let waited = 0; ; waited += POLL_MS) {
    const release = tryAcquire(lock);
    if (release) return release;
    const holder = `process ${readHolder(lock)?.tag.split('_')[0] ?? 'unknown'}`;
    if (waited >= waitMs) {
      throw new EmbeddedPostgresError(
        `The embedded database is being started or stopped by ${holder}, which does not finish`,
        `If that process does not run or hangs, end it, delete ${lock}* and start again`,
      );
    }
    if (waited === NOTIFY_AFTER_MS) onWait?.(`waiting for ${holder}, which starts or stops the database`);
    await sleep(POLL_MS);
  }
}

/**
 * Follows the chain of links that dead processes left, and appends a link for this process.
 * @returns a function that releases the lock; undefined if a process in the chain is alive
 */
function tryAcquire(lock: string): (() => void) | undefined {
  const chain: string[] = [];
  const first = readHolder(lock);
  for (let link = lock; ;) {
    chain.push(link);
    if (createLock(link)) {
      // Gives up if another process has meanwhile released the whole chain and started a new one. The link of this process is not part of
      // the new chain.
      if (link !== lock && readHolder(lock)?.id !== first?.id) {
        rmSync(link, { force: true });
        return undefined;
      }
      if (link === lock) removeLooseLinks(lock);
      // Removes the first link of the chain before the others. A process that finds no first link starts a new chain, and ignores the other
      // links.
      return () => chain.forEach((each) => rmSync(each, { force: true }));
    }
    const holder = readHolder(link);
    if (!holder || isAlive(holder.tag)) return undefined;
    link = `${lock}.${holder.id}`;
  }
}

function createLock(link: string): boolean {
  try {
    symlinkSync(`${ownTag()} ${randomUUID()}`, link);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new EmbeddedPostgresError(
      `The data directory ${path.dirname(link)} cannot be written to (${(error as Error).message})`,
      'Run as the account that it belongs to, or set DATA_DIR to a directory of your own',
    );
  }
}

function readHolder(link: string): Holder | undefined {
  try {
    const [tag = '', id = ''] = readlinkSync(link).split(' ');
    return { tag, id };
  } catch {
    return undefined;
  }
}

/** Removes the links that remained because a process was killed while it released the lock. */
function removeLooseLinks(lock: string): void {
  const directory = path.dirname(lock);
  const loose = readdirSync(directory).filter((name) => name.startsWith(`${path.basename(lock)}.`));
  loose.forEach((name) => rmSync(path.join(directory, name), { force: true }));
}

interface Process {
  /** The time of the start in the system's own notation, without blanks. */
  start: string;
  command?: string;
}

const UNKNOWN = 'unknown';

/**
 * Returns the start time of the process. The pid and the start time together identify a process, even after the pid is used again.
 * @returns 'unknown' if the system does not report the time; undefined if the process does not exist or is a zombie
 */
export function processStart(pid: number): string | undefined {
  return findProcess(pid)?.start;
}

/** Returns a permanent name for this process, which may be part of a file name: `<pid>_<start>`. */
export function ownTag(): string {
  return `${process.pid}_${processStart(process.pid)}`;
}

/** Returns true if the process with this tag still runs. If the start time is unknown, compares only the pid. */
export function isAlive(tag: string): boolean {
  const [pid, start] = tag.split('_');
  const now = processStart(Number(pid));
  return now !== undefined && (now === start || now === UNKNOWN || start === UNKNOWN);
}

/**
 * Returns true if `pid` is a PostgreSQL server that uses `directory`. Returns false for another process that got the pid of a dead server.
 */
export function servesDirectory(pid: number, directory: string): boolean {
  const found = findProcess(pid);
  if (!found) return false;
  if (found.command && !found.command.startsWith('postgres')) return false;
  try {
    const expected = statSync(directory);
    if (statSync(`/proc/${pid}`).uid !== expected.uid) return false;
    // Compares inodes, not names: the server keeps using a directory that was moved.
    const actual = statSync(`/proc/${pid}/cwd`);
    return actual.ino === expected.ino && actual.dev === expected.dev;
  } catch {
    // Reached if the process has just ended, or if there is no /proc. A wrong `true` causes an error, but a wrong `false` could damage
    // data.
    return processStart(pid) !== undefined;
  }
}

/** Returns whether kill(pid, 0) finds a process. This is also true for a zombie, and for another process that has the pid now. */
export function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function findProcess(pid: number): Process | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  try {
    const [state, start, command] = process.platform === 'linux' ? readStat(pid) : readPs(pid);
    return /^[ZX]/.test(state) ? undefined : { start, command };
  } catch {
    return answersSignals(pid) ? { start: UNKNOWN } : undefined;
  }
}

/**
 * Reads /proc/<pid>/stat. The command is in parentheses and may itself contain spaces and parentheses. Fields 3 and 22 come after the
 * command.
 */
function readStat(pid: number): [state: string, start: string, command: string] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const end = stat.lastIndexOf(')');
  const fields = stat.slice(end + 2).split(' ');
  return [fields[0]!, fields[19]!, stat.slice(stat.indexOf('(') + 1, end)];
}

/** Reads the output of `ps`, in which the start time has five words: "Ss Sun Nov 22 02:01:44 2026 /usr/bin/postgres". */
function readPs(pid: number): [state: string, start: string, command: string] {
  const args = ['-o', 'state=', '-o', 'lstart=', '-o', 'comm=', '-p', String(pid)];
  const line = execFileSync('ps', args, { encoding: 'utf8', env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' } });
  const [state = '', ...words] = line.trim().split(/\s+/);
  const command = words.slice(5).join(' ').split('/').at(-1)!;
  return [state, words.slice(0, 5).join('-').replaceAll(':', '-'), command];
}
