import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { accountFor, giveTo, PASSWORD_FILE, runAs } from '../../services/platform/embedded-postgres/account';
import { bundledRelease, usableBinaries } from '../../services/platform/embedded-postgres/binaries';
import { type Cluster, createCluster, superuserUrl } from '../../services/platform/embedded-postgres/cluster';
import { isAlive, ownTag } from '../../services/platform/embedded-postgres/start-lock';
import {
  type RunningServer,
  startServer,
  stopServer,
} from '../../services/platform/embedded-postgres/server';

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
};
/** Reduces the CPU time that a client needs for a connection's password from 2.2 ms to 0.2 ms. PostgreSQL 15 lacks the setting. */
const FAST_LOGIN = { scram_iterations: '1' };

/** A folder with the programs of another PostgreSQL, such as /usr/lib/postgresql/15/bin: the tests then run on that server. */
const OTHER_PROGRAMS = 'TEST_POSTGRES';

/**
 * Starts a PostgreSQL server in a temporary directory, without durability. `url` belongs to a superuser and to the database
 * `postgres`. If a run is killed before `stop()`, the next start stops its server and removes its directory.
 * @param programs the folder of another PostgreSQL's programs
 */
export async function startTemporaryPostgres(
  programs = process.env[OTHER_PROGRAMS],
): Promise<{ url: string; stop(): Promise<void> }> {
  const account = accountFor();
  await removeOrphans();
  // Every account can pass through this directory; only the account of the server can open the cluster in it.
  const parent = path.join(tmpdir(), `${PREFIX}${ownTag()}.${randomBytes(4).toString('hex')}`);
  mkdirSync(parent);
  chmodSync(parent, 0o711);
  const cluster = { directory: path.join(parent, 'pg'), account };
  const remove = () => rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
  try {
    const { port } = programs ? await startOther(cluster, programs) : await startBundled(cluster);
    let stopping: Promise<void> | undefined;
    const stop = () => (stopping ??= stopServer(cluster.directory, 'immediate').finally(remove));
    return { url: superuserUrl(cluster.directory, port, 'postgres'), stop };
  } catch (error) {
    remove();
    throw error;
  }
}

async function startBundled(cluster: Cluster): Promise<RunningServer> {
  const binaries = await usableBinaries(bundledRelease(), cluster.account);
  await createCluster(cluster, binaries, { ...NOT_DURABLE, ...FAST_LOGIN });
  return startServer(cluster, binaries);
}

/** Creates the cluster as Debian does. Before PostgreSQL 17 there is no builtin locale, and before 16 initdb takes no settings. */
async function startOther(cluster: Cluster, programs: string): Promise<RunningServer> {
  const { directory, account } = cluster;
  mkdirSync(directory, { mode: 0o700 });
  const passwordFile = `${directory}.password`;
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  for (const owned of [directory, passwordFile]) giveTo(account, owned);
  const access = ['--username=tour_platform', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const form = ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  const { ok, output } = await runAs(account, path.join(programs, 'initdb'), [...access, ...form], {
    env: { PGDATA: directory },
  });
  if (!ok) throw new Error(`initdb failed: ${output}`);
  renameSync(passwordFile, path.join(directory, PASSWORD_FILE));
  const settings = Object.entries(NOT_DURABLE).map(([name, value]) => `${name} = '${value}'\n`);
  appendFileSync(path.join(directory, 'postgresql.conf'), settings.join(''));
  return startServer(cluster, { programs });
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
