import { randomUUID } from 'node:crypto';
import { readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-postgres.errors';
import { isAlive, ownTag } from './process-identity';

interface Holder {
  /** Names the process. */
  tag: string;
  /** Names one acquisition of the lock. */
  id: string;
}

const POLL_MS = 20;
/** A multiple of POLL_MS. */
const NOTIFY_AFTER_MS = 5000;

/**
 * Runs `work` while no other process, and no other call of this one, holds the lock of that path.
 *
 * The lock is a symbolic link, and its target names the holder: one exclusive step creates both, so no process reads half a lock.
 * The lock of a dead holder is not removed. The next holder creates `<lock>.<id of the dead holder>`, again exclusively.
 * Two processes that take over at once compete for the same name. If they removed the dead lock and created their own,
 * the slower one could remove the lock of the faster one.
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

/** Follows the links of dead holders and adds its own; undefined where a holder of the chain is alive. */
function tryAcquire(lock: string): (() => void) | undefined {
  const chain: string[] = [];
  const first = readHolder(lock);
  for (let link = lock; ;) {
    chain.push(link);
    if (createLock(link)) {
      // The chain may have been released and started again in the meantime: then this link is not part of it.
      if (link !== lock && readHolder(lock)?.id !== first?.id) {
        rmSync(link, { force: true });
        return undefined;
      }
      if (link === lock) removeLooseLinks(lock);
      // Removes the first link first: a process that does not find it starts a new chain and ignores the others.
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

/** Removes the links of a holder that was killed while it released the lock. */
function removeLooseLinks(lock: string): void {
  const directory = path.dirname(lock);
  const loose = readdirSync(directory).filter((name) => name.startsWith(`${path.basename(lock)}.`));
  loose.forEach((name) => rmSync(path.join(directory, name), { force: true }));
}
