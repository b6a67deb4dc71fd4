import { chmodSync, lstatSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { makeDirectory } from '../make-directory';

/** Survives everything but a new system. */
export const LASTING_SHELF = '/var/lib/tour-platform';

/**
 * Directories outside the checkout that only we can write to and, for root, that every account can read, best first:
 * for what cannot stay in its place. One that somebody else made or can write to is left out: what lies there is run.
 */
export function* ownShelves(candidates = usualShelves()): Generator<string> {
  for (const directory of candidates) if (makeOurs(directory)) yield directory;
}

function usualShelves(): string[] {
  if (process.geteuid?.() === 0) return [LASTING_SHELF, '/var/tmp/tour-platform'];
  return [
    path.join(homedir(), '.cache/tour-platform'),
    path.join(tmpdir(), `tour-platform-${process.geteuid?.()}`),
  ];
}

function makeOurs(directory: string): boolean {
  try {
    makeDirectory(directory, 0o755);
    const { uid, mode } = lstatSync(directory);
    if (!lstatSync(directory).isDirectory() || uid !== process.geteuid?.()) return false;
    if ((mode & 0o022) !== 0) return false;
    if ((mode & 0o555) !== 0o555) chmodSync(directory, 0o755);
    return true;
  } catch {
    return false;
  }
}
