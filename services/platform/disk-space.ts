import { statfsSync } from 'node:fs';

/** PostgreSQL reserves its write-ahead log in files of 16 MiB, and stops when it cannot. */
const FULL_BYTES = 16 * 1024 * 1024;
/** Leaves time to make space: a million bookings and their indexes take 0.9 GiB (docs/benchmarks.md). */
const SHORT_BYTES = 1024 * 1024 * 1024;

/**
 * Compares the free space of a directory's disk with what the database needs to go on writing.
 * @returns undefined if there is no such directory, or this account may not look at it
 */
export function readDiskSpace(
  directory: string,
): { freeBytes: number; state: 'full' | 'short' | 'enough' } | undefined {
  try {
    const { bavail, bsize } = statfsSync(directory);
    const freeBytes = bavail * bsize;
    const state = freeBytes < FULL_BYTES ? 'full' : freeBytes < SHORT_BYTES ? 'short' : 'enough';
    return { freeBytes, state };
  } catch {
    return undefined;
  }
}
