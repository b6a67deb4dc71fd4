import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, readdirSync, readlinkSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { makeDirectory } from '../make-directory';
import { type Account, accountFor, canEnter } from './account';
import { EmbeddedPostgresError } from './embedded-postgres.errors';
import { LASTING_SHELF, ownShelves } from './shelves';

export interface Cluster {
  /** PostgreSQL's data directory; it need not exist yet. */
  directory: string;
  account: Account;
}

/**
 * Where the cluster of a data directory lives: in its `pg<major>`. Where root runs us below a directory that is closed to
 * the unprivileged account, `pg<major>` is a link to a place that is not. The link is made before the cluster, so that a
 * start that was killed is taken up again in the same place. To be called under the start lock.
 */
export async function placeCluster(
  dataDir: string,
  major: number,
  notice: (line: string) => void,
  shelves: Iterable<string> = ownShelves([LASTING_SHELF]),
): Promise<Cluster> {
  refuseOtherMajor(dataDir, major);
  const inPlace = path.join(dataDir, `pg${major}`);
  const linked = isLink(inPlace);
  let directory = linked ? path.resolve(dataDir, readlinkSync(inPlace)) : inPlace;
  refuseForeignOwner(directory);
  const account = accountFor(directory);
  if (linked) {
    makeRoom(path.dirname(directory));
  } else if (!exists(inPlace) && !(await canEnter(account, dataDir))) {
    directory = path.join(roomOutside(dataDir, shelves), `pg${major}`);
    symlinkSync(directory, inPlace);
    notice(
      `${dataDir} is closed to the account that PostgreSQL runs as: its database is kept in ${directory}`,
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

function refuseForeignOwner(directory: string): void {
  const us = process.geteuid?.();
  const owner = statSync(directory, { throwIfNoEntry: false })?.uid;
  if (us === undefined || us === 0 || owner === undefined || owner === us) return;
  throw new EmbeddedPostgresError(
    `The database in ${directory} belongs to the account with uid ${owner}, and you are uid ${us}`,
    'Run as the account that made it (root for one that root made), or set DATA_DIR to another directory',
  );
}

function roomOutside(dataDir: string, shelves: Iterable<string>): string {
  for (const shelf of shelves) {
    const name = path.basename(path.dirname(dataDir)).replace(/[^\w-]/g, '_');
    const room = path.join(shelf, `${name}-${randomBytes(4).toString('hex')}`);
    makeRoom(room);
    return room;
  }
  throw new EmbeddedPostgresError(
    `${dataDir} is closed to the account that PostgreSQL runs as, and no other place could be made`,
    'Set DATA_DIR to a directory that every account can pass through, or run as an ordinary user',
  );
}

function makeRoom(room: string): void {
  if (makeDirectory(room, 0o755)) chmodSync(room, 0o755);
}

function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}
