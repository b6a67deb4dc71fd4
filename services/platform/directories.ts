import { mkdirSync, statSync, statfsSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a directory and its missing parents. Replaces Node's `recursive` option, which never returns for a path below /proc: Node retries
 * for ever at 100 % of a core, and no signal ends the process (observed with Node 20.20).
 * @returns false if the directory existed
 * @throws the system's error, for example EACCES, EROFS, or EEXIST if the path is a file
 */
export function makeDirectory(directory: string, mode?: number): boolean {
  const parent = path.dirname(directory);
  if (parent !== directory && !isDirectory(parent)) makeDirectory(parent, mode);
  try {
    mkdirSync(directory, { mode });
    return true;
  } catch (error) {
    // Accepts a directory that another process has created in the meantime.
    if (isDirectory(directory)) return false;
    throw error;
  }
}

function isDirectory(name: string): boolean {
  try {
    return statSync(name).isDirectory();
  } catch {
    return false;
  }
}

/**
 * A disk with less free space counts as full: PostgreSQL reserves its write-ahead log in files of 16 MiB, and stops if there is no space
 * for one.
 */
const FULL_BYTES = 16 * 1024 * 1024;
/**
 * A disk with less free space counts as nearly full, while an operator can still free some space. A million bookings and their indexes take
 * 0.9 GiB (docs/benchmarks.md).
 */
const SHORT_BYTES = 1024 * 1024 * 1024;

/**
 * Compares the free space of a directory's disk with the space that the database needs for writes.
 * @returns undefined if the directory does not exist, or this account may not read it
 */
export function readDiskSpace(
  directory: string,
): { freeBytes: number; state: 'full' | 'short' | 'enough' } | undefined {
  try {
    const { bavail, bsize } = statfsSync(directory);
    const freeBytes = bavail * bsize;
    if (freeBytes < FULL_BYTES) return { freeBytes, state: 'full' };
    return { freeBytes, state: freeBytes < SHORT_BYTES ? 'short' : 'enough' };
  } catch {
    return undefined;
  }
}
