import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { accountFor } from '../../services/platform/embedded-postgres/account';
import { bundledRelease, usableBinaries } from '../../services/platform/embedded-postgres/binaries';
import { createCluster, superuserUrl } from '../../services/platform/embedded-postgres/cluster';
import { isAlive, ownTag } from '../../services/platform/embedded-postgres/start-lock';
import { startServer, stopServer } from '../../services/platform/embedded-postgres/server';

const PREFIX = 'tour-platform-temporary.';

/** Turns off the waits for the disk, because no data is needed after the run. */
const NOT_DURABLE = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Reduces the CPU time that a client needs for a connection's password from 2.2 ms to 0.2 ms.
  scram_iterations: '1',
};

/**
 * Starts a PostgreSQL server in a temporary directory, without durability. `url` belongs to a superuser and to the database
 * `postgres`. If a run is killed before `stop()`, the next start stops its server and removes its directory.
 */
export async function startTemporaryPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const account = accountFor();
  const binaries = await usableBinaries(bundledRelease(), account);
  await removeOrphans();
  // Every account can pass through this directory; only the account of the server can open the cluster in it.
  const parent = path.join(tmpdir(), `${PREFIX}${ownTag()}.${randomBytes(4).toString('hex')}`);
  mkdirSync(parent);
  chmodSync(parent, 0o711);
  const cluster = { directory: path.join(parent, 'pg'), account };
  const remove = () => rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
  try {
    await createCluster(cluster, binaries, NOT_DURABLE);
    const { port } = await startServer(cluster, binaries);
    let stopping: Promise<void> | undefined;
    const stop = () => (stopping ??= stopServer(cluster.directory, 'immediate').finally(remove));
    return { url: superuserUrl(cluster.directory, port, 'postgres'), stop };
  } catch (error) {
    remove();
    throw error;
  }
}

async function removeOrphans(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const parent = path.join(tmpdir(), name);
    const tag = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('.')[0] : undefined;
    if (!tag || isAlive(tag) || !isOwn(parent)) continue;
    try {
      await stopServer(path.join(parent, 'pg'), 'immediate');
      rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
    } catch {
      // The directory may be gone already, because another run removes it too. Otherwise the next start tries again.
    }
  }
}

/** Returns false for a directory of another account. Such a directory could have any name and contain any pid. */
function isOwn(parent: string): boolean {
  const found = lstatSync(parent, { throwIfNoEntry: false });
  return found !== undefined && found.isDirectory() && found.uid === process.geteuid?.();
}
