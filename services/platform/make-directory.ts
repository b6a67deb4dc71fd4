import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a directory and its missing parents. Replaces Node's `recursive` option, which never returns for a path below /proc:
 * it retries for ever at 100 % of a core, and no signal ends it (seen with Node 20.20).
 * @returns false if the directory existed
 * @throws the system's error, for example EACCES, EROFS or EEXIST where a file has this name
 */
export function makeDirectory(directory: string, mode?: number): boolean {
  const parent = path.dirname(directory);
  if (parent !== directory && !isDirectory(parent)) makeDirectory(parent, mode);
  try {
    mkdirSync(directory, { mode });
    return true;
  } catch (error) {
    // Another process may have created it in the meantime.
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
