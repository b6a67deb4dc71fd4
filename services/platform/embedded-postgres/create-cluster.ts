import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { giveTo, runAs } from './account';
import type { Binaries } from './binaries';
import { readClusterFile } from './cluster-file';
import { EmbeddedPostgresError } from './embedded-postgres.errors';
import type { Cluster } from './place-cluster';
import { REQUIRE_SCRAM } from './scram-client';
import { SERVICE_ROLE, servicePassword } from './service-role';

const SUPERUSER = 'tour_platform';
const PASSWORD_FILE = 'tour-platform.password';
const VERSION_FILE = 'PG_VERSION';

/** Builtin locale: folds the case of all scripts and sorts by bytes, on every system. (With C 'É' ILIKE 'é' is false.) */
const INITDB = [
  `--username=${SUPERUSER}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-instructions',
];

/**
 * Makes the cluster if there is none, beside its place: a killed initdb leaves a PG_VERSION behind and a cluster that
 * starts without its databases. What appears in its place is whole, its password in it. True if it was made now. To be
 * called under the start lock.
 */
export async function createCluster(
  { directory, account }: Cluster,
  { programs, major }: Binaries,
  settings: Record<string, string>,
): Promise<boolean> {
  const aside = `${directory}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
  await sweepUnfinished(directory);
  if (isThere(directory, major)) return false;
  try {
    // It stays ours, only to pass through: where the account can write, its links would lead root's writing astray.
    mkdirSync(aside);
    chmodSync(aside, 0o711);
    const password = path.join(aside, PASSWORD_FILE);
    writeFileSync(password, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx', flush: true });
    giveTo(account, password);
    const cluster = path.join(aside, 'cluster');
    mkdirSync(cluster, { mode: 0o700 });
    giveTo(account, cluster);
    const set = Object.entries(settings).map(([name, value]) => `--set=${name}=${value}`);
    if (settings.fsync === 'off') set.push('--no-sync');
    const { ok, output } = await runAs(
      account,
      path.join(programs, 'initdb'),
      [...INITDB, `--pwfile=${password}`, ...set],
      { env: { PGDATA: cluster } },
    );
    if (!ok) throw cannotCreate(directory, output);
    renameSync(password, path.join(cluster, PASSWORD_FILE));
    renameSync(cluster, directory);
    return true;
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    throw cannotCreate(directory, (error as Error).message);
  } finally {
    await removeTree(aside);
  }
}

/** With the superuser's name and password, for a server that proves to know it too. */
export function superuserUrl(directory: string, port: number, database: string): string {
  return urlFor(SUPERUSER, readPassword(directory), port, database);
}

/** The same for the role that the services work with. */
export function serviceUrl(directory: string, port: number, database: string): string {
  return urlFor(SERVICE_ROLE, servicePassword(readPassword(directory)), port, database);
}

function urlFor(role: string, password: string, port: number, database: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}?${REQUIRE_SCRAM}`;
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

/** True if there is a cluster of this major; anything else in its place is left alone. */
function isThere(directory: string, major: number): boolean {
  if (!existsSync(directory) || readdirSync(directory).length === 0) return false;
  const found = existsSync(path.join(directory, VERSION_FILE))
    ? readClusterFile(directory, VERSION_FILE).trim()
    : undefined;
  if (found === String(major)) return true;
  throw new EmbeddedPostgresError(
    `${directory} ${found ? `is of PostgreSQL ${found}` : 'is not a database'}, and this release brings PostgreSQL ${major}`,
    'Move it away to begin with an empty database; what is in it, the release that made it can dump',
  );
}

/** We hold the start lock, so whoever made these is dead. An initdb that outlived it may still write: then next time. */
async function sweepUnfinished(directory: string): Promise<void> {
  const parent = path.dirname(directory);
  const unfinished = readdirSync(parent).filter((name) =>
    name.startsWith(`${path.basename(directory)}.new-`),
  );
  for (const name of unfinished) await removeTree(path.join(parent, name));
}

/** As far as possible. Not by rmSync, which an account that swaps its directories for links can lead out of the tree. */
async function removeTree(directory: string): Promise<void> {
  await runAs({}, 'rm', ['-rf', '--', directory]);
}

function cannotCreate(directory: string, output: string): EmbeddedPostgresError {
  const whatToDo = /could not look up effective user ID/.test(output)
    ? 'The account has no name: add it to /etc/passwd, or set DATABASE_URL to a PostgreSQL of your own'
    : 'The reason follows; it often is a full disk, or a file system without access rights';
  return new EmbeddedPostgresError(`The database cannot be created in ${directory}`, whatToDo, output);
}
