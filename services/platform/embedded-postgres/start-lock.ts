import { randomUUID } from 'node:crypto';
import { readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-postgres.errors';
import { isAlive, ownTag } from './process-start';

interface Holder {
  /** Of the process. */
  tag: string;
  /** Of this one holding of the lock. */
  id: string;
}

const POLL_MS = 20;
/** A multiple of POLL_MS. */
const TELL_AFTER_MS = 5000;

/**
 * Runs `work` while no other process (and no other call of this one) is inside the lock of that path.
 *
 * The lock is a symbolic link whose target names its holder: made in one exclusive step together with its content, so
 * that nobody ever reads half a lock. The lock of a dead holder is not removed but succeeded to: the next holder makes
 * `<lock>.<id of the dead one>`, again exclusively, and so on. Two that take over at once contend for the same name;
 * "see that it is dead, remove it, make mine" would let the slower one remove the lock of the faster.
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
    if (waited === TELL_AFTER_MS) onWait?.(`waiting for ${holder}, which starts or stops the database`);
    await sleep(POLL_MS);
  }
}

function tryAcquire(lock: string): (() => void) | undefined {
  const chain: string[] = [];
  const head = readHolder(lock);
  for (let link = lock; ;) {
    chain.push(link);
    if (claim(link)) {
      // While we walked along the dead ones the chain may have been released and begun anew: then ours hangs in the air.
      if (link !== lock && readHolder(lock)?.id !== head?.id) {
        rmSync(link, { force: true });
        return undefined;
      }
      if (link === lock) sweepLooseLinks(lock);
      // The head first: whoever finds no head starts anew and looks at nothing behind it.
      return () => chain.forEach((each) => rmSync(each, { force: true }));
    }
    const holder = readHolder(link);
    if (!holder || isAlive(holder.tag)) return undefined;
    link = `${lock}.${holder.id}`;
  }
}

function claim(link: string): boolean {
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

/** Left by a holder that was killed while it released. */
function sweepLooseLinks(lock: string): void {
  const directory = path.dirname(lock);
  const loose = readdirSync(directory).filter((name) => name.startsWith(`${path.basename(lock)}.`));
  loose.forEach((name) => rmSync(path.join(directory, name), { force: true }));
}
