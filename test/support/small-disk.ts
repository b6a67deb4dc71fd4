import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

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

/** Declares a suite that needs small disks. The suite is skipped if the account cannot mount a disk, for example in a container. */
export const describeWithSmallDisks = canMountSmallDisk() ? describe : describe.skip;

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
