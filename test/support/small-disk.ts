import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describeUnless } from './describe-with';

const mounted: string[] = [];

/** Mounts an empty disk in memory, and returns its directory. Needs root. */
export function mountSmallDisk(mebibytes: number): string {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'disk-'));
  mounted.push(directory);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=755`, 'tmpfs', directory]);
  return directory;
}

export function removeSmallDisks(): void {
  for (const directory of mounted.splice(0)) {
    execFileSync('umount', ['--lazy', directory]);
    rmSync(directory, { recursive: true });
  }
}

/**
 * Declares a suite that needs small disks. Where the account cannot mount one, for example in a container, the suite is left out, and the end of
 * the run says so.
 */
export function describeWithSmallDisks(title: string, suite: () => void): void {
  describeUnless(canMountSmallDisk() ? undefined : 'this account cannot mount a disk', title, suite);
}

export function canMountSmallDisk(): boolean {
  try {
    mountSmallDisk(1);
    return true;
  } catch {
    rmSync(mounted.pop()!, { recursive: true });
    return false;
  } finally {
    removeSmallDisks();
  }
}
