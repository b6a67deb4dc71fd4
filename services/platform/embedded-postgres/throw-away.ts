import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Account, accountFor, canEnter } from './account';
import { bundledRelease, usableBinaries } from './binaries';
import { createCluster, superuserUrl } from './create-cluster';
import { EmbeddedPostgresError } from './embedded-postgres.errors';
import { isAlive, ownTag } from './process-start';
import { startServer, stopServer } from './server';

const PREFIX = 'tour-platform-throw-away.';

/** Nothing in it outlives the run, so nothing waits for the disk. */
const NOT_DURABLE = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/**
 * A server of its own in a temporary directory, durability off: for tests. `url` is a superuser's, of the database
 * `postgres`. Servers and directories whose process was killed before `stop()` are cleaned away by the next start.
 */
export async function startThrowAwayPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const account = accountFor();
  const binaries = await usableBinaries(bundledRelease(), account);
  const parent = await temporaryParent(account);
  await sweepOrphans(parent);
  // Only a place to pass through; the cluster in it is closed to all others.
  const room = path.join(parent, `${PREFIX}${ownTag()}.${randomBytes(4).toString('hex')}`);
  mkdirSync(room);
  chmodSync(room, 0o711);
  const cluster = { directory: path.join(room, 'pg'), account };
  const clear = () => rmSync(room, { recursive: true, force: true, maxRetries: 5 });
  try {
    await createCluster(cluster, binaries, NOT_DURABLE);
    const { port } = await startServer(cluster, binaries);
    let stopping: Promise<void> | undefined;
    const stop = () => (stopping ??= stopServer(cluster.directory, 'immediate').finally(clear));
    return { url: superuserUrl(cluster.directory, port, 'postgres'), stop };
  } catch (error) {
    clear();
    throw error;
  }
}

async function temporaryParent(account: Account): Promise<string> {
  for (const parent of [tmpdir(), '/tmp', '/var/tmp']) if (await canEnter(account, parent)) return parent;
  throw new EmbeddedPostgresError(
    `No temporary directory can be reached by uid ${account.uid}`,
    'Set TMPDIR to one that every account can pass through',
  );
}

async function sweepOrphans(parent: string): Promise<void> {
  for (const name of readdirSync(parent)) {
    const room = path.join(parent, name);
    const tag = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('.')[0] : undefined;
    if (!tag || isAlive(tag) || !isOurs(room)) continue;
    try {
      await stopServer(path.join(room, 'pg'), 'immediate');
      rmSync(room, { recursive: true, force: true, maxRetries: 5 });
    } catch {
      // Another run is sweeping the same one; else the next start tries again.
    }
  }
}

/** In a directory that all can write to, somebody else's could bear any name and hold any pid. */
function isOurs(room: string): boolean {
  const found = lstatSync(room, { throwIfNoEntry: false });
  return found !== undefined && found.isDirectory() && found.uid === process.geteuid?.();
}
