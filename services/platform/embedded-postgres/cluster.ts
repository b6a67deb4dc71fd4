import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { makeDirectory } from '../make-directory';
import {
  type Account,
  accountFor,
  canEnter,
  fallbackDirectory,
  giveTo,
  makeOwnDirectory,
  PASSWORD_FILE,
  readClusterFile,
  runAs,
} from './account';
import type { Binaries } from './binaries';
import { EmbeddedPostgresError } from './embedded-postgres.errors';

export interface Cluster {
  /** PostgreSQL's data directory; it need not exist yet. */
  directory: string;
  account: Account;
}

export const SUPERUSER = 'tour_platform';
const VERSION_FILE = 'PG_VERSION';

/** The builtin locale folds the case of all scripts and sorts by bytes on every system. (With C, 'É' ILIKE 'é' is false.) */
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
 * Returns where the cluster of a data directory is: in its `pg<major>`. Where root starts below a directory that is closed
 * to the account, `pg<major>` is a link into `fallback`, by default fallbackDirectory(). The link is created before the
 * cluster, so that the start after a killed one continues in the same place. Needs the start lock.
 */
export async function placeCluster(
  dataDir: string,
  major: number,
  notice: (line: string) => void,
  fallback?: string,
): Promise<Cluster> {
  refuseOtherMajor(dataDir, major);
  const inPlace = path.join(dataDir, `pg${major}`);
  const isLink = lstatSync(inPlace, { throwIfNoEntry: false })?.isSymbolicLink();
  let directory = isLink ? path.resolve(dataDir, readlinkSync(inPlace)) : inPlace;
  const account = accountFor(directory);
  if (isLink) {
    if (makeDirectory(path.dirname(directory), 0o755)) chmodSync(path.dirname(directory), 0o755);
  } else if (!existsSync(inPlace) && !(await canEnter(account, dataDir))) {
    directory = path.join(makeDirectoryOutside(dataDir, fallback), `pg${major}`);
    symlinkSync(directory, inPlace);
    notice(
      `PostgreSQL runs as uid ${account.uid}, which cannot reach ${dataDir}: its database is kept in ${directory}`,
    );
  }
  if (!(await canEnter(account, path.dirname(directory)))) {
    throw new EmbeddedPostgresError(
      `You are root, so PostgreSQL runs as uid ${account.uid}, and that account cannot reach ${directory}`,
      'Let it pass through the directories above (chmod o+x), or run as an ordinary user',
    );
  }
  return { directory, account };
}

function refuseOtherMajor(dataDir: string, major: number): void {
  const present = readdirSync(dataDir).flatMap((name) => /^pg(\d+)$/.exec(name)?.[1] ?? []);
  if (present.length === 0 || present.includes(String(major))) return;
  throw new EmbeddedPostgresError(
    `${dataDir} holds a database of PostgreSQL ${present.join(' and ')}, and this release brings PostgreSQL ${major}`,
    `Start the earlier release and dump the database, or move pg${present.join(' and pg')} away to begin with an empty one`,
  );
}

function makeDirectoryOutside(dataDir: string, fallback = fallbackDirectory()): string {
  const name = path.basename(path.dirname(dataDir)).replace(/[^\w-]/g, '_');
  const directory = path.join(fallback, `${name}-${randomBytes(4).toString('hex')}`);
  try {
    makeOwnDirectory(fallback);
    makeOwnDirectory(directory);
    return directory;
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The account of PostgreSQL cannot reach ${dataDir}, and its database cannot be kept elsewhere (${(error as Error).message})`,
      'Set DATA_DIR to a directory that every account can pass through, or run as an ordinary user',
    );
  }
}

/**
 * Creates the cluster, with its password, if there is none. A killed initdb leaves a PG_VERSION and a cluster without its
 * databases, so the cluster is created beside its place and renamed when it is complete. Needs the start lock.
 * @returns true if the cluster was created now
 */
export async function createCluster(
  { directory, account }: Cluster,
  { programs, major }: Binaries,
  settings: Record<string, string>,
): Promise<boolean> {
  const draft = `${directory}.new-${randomBytes(4).toString('hex')}`;
  await removeDrafts(directory);
  if (isCluster(directory, major)) return false;
  try {
    // Keeps this account as the owner: in a directory of the other one, links could redirect root's writes.
    mkdirSync(draft);
    chmodSync(draft, 0o711);
    const password = path.join(draft, PASSWORD_FILE);
    writeFileSync(password, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx', flush: true });
    giveTo(account, password);
    const cluster = path.join(draft, 'cluster');
    mkdirSync(cluster, { mode: 0o700 });
    giveTo(account, cluster);
    const options = Object.entries(settings).map(([name, value]) => `--set=${name}=${value}`);
    if (settings.fsync === 'off') options.push('--no-sync');
    const { ok, output } = await runAs(
      account,
      path.join(programs, 'initdb'),
      [...INITDB, `--pwfile=${password}`, ...options],
      { env: { PGDATA: cluster } },
    );
    if (!ok) throw new Error(output);
    renameSync(password, path.join(cluster, PASSWORD_FILE));
    renameSync(cluster, directory);
    return true;
  } catch (error) {
    throw error instanceof EmbeddedPostgresError ? error : cannotCreate(directory, (error as Error).message);
  } finally {
    await removeDrafts(directory);
  }
}

/** Returns true if there is a cluster of this major. Anything else in its place is refused and stays as it is. */
function isCluster(directory: string, major: number): boolean {
  if (!existsSync(directory) || readdirSync(directory).length === 0) return false;
  const found = existsSync(path.join(directory, VERSION_FILE))
    ? readClusterFile(directory, VERSION_FILE).trim()
    : undefined;
  if (found === String(major)) return true;
  throw new EmbeddedPostgresError(
    `${directory} ${found ? `is of PostgreSQL ${found}` : 'is not a database'}, and this release brings PostgreSQL ${major}`,
    'Move it away to begin with an empty database; the release that made it can dump its content',
  );
}

/**
 * Removes drafts, also those of killed starts; ignores failures. If an orphaned initdb still writes to one, the next start
 * removes it. rmSync is not used: an account that swaps its directories for links can lead it out of the tree.
 */
async function removeDrafts(directory: string): Promise<void> {
  const parent = path.dirname(directory);
  const drafts = readdirSync(parent).filter((name) => name.startsWith(`${path.basename(directory)}.new-`));
  if (drafts.length) await runAs({}, 'rm', ['-rf', '--', ...drafts], { cwd: parent });
}

function cannotCreate(directory: string, output: string): EmbeddedPostgresError {
  const nextStep = /could not look up effective user ID/.test(output)
    ? 'The account has no name: add it to /etc/passwd, or set DATABASE_URL to a PostgreSQL of your own'
    : 'The reason follows; it often is a full disk, or a file system without access rights';
  return new EmbeddedPostgresError(`The database cannot be created in ${directory}`, nextStep, output);
}
