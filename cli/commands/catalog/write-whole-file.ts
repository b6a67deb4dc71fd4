import { createWriteStream, existsSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UnwritableFileError } from './unwritable-file-error';

export interface WholeFileOptions {
  /** Replace a file that is there. */
  force: boolean;
  stop?: AbortSignal;
}

/** @throws UnwritableFileError */
export function refuseExisting(file: string): void {
  if (existsSync(file)) throw new UnwritableFileError(file, 'it exists; --force replaces it');
}

/**
 * Writes a file beside and gives it its name when it is whole and on disk, so that the name never stands for half of it, and a
 * file that is replaced stays as it was until then.
 * @throws UnwritableFileError
 */
export async function writeWholeFile(
  file: string,
  text: Readable,
  { force, stop }: WholeFileOptions,
): Promise<void> {
  const beside = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.part`);
  try {
    await pipeline(text, createWriteStream(beside, { flags: 'wx' }), { signal: stop });
    const handle = await open(beside, 'r+');
    await handle.sync().finally(() => handle.close());
    // A link, other than a renaming, refuses to replace what came there meanwhile.
    if (force) await rename(beside, file);
    else await link(beside, file);
  } catch (error) {
    const { syscall, code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') refuseExisting(file);
    throw syscall ? new UnwritableFileError(file, message) : error;
  } finally {
    await rm(beside, { force: true });
  }
}
