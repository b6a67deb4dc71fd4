import { createWriteStream, existsSync, statSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { flag } from './command';
import { FileNotWrittenError } from './failure';

/** Replaces the file of --out. Without this flag an existing file is refused. */
export const REPLACE_FLAG = flag('--force', 'replace the file if it exists');

/** The mistake of --force without --out, for refuseMistakes. */
export function forceWithoutFile({ force, out }: { force?: boolean; out?: string }): string | false {
  return force === true && out === undefined && '--force needs --out: it replaces an existing file';
}

const IS_FOLDER = 'it is a folder';
const EXISTS = 'it exists; --force replaces it';
/** Texts for the codes of the system that would name the temporary file. */
const REASONS: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  EISDIR: IS_FOLDER,
  // A link to a file that does not exist: existsSync does not see it.
  EEXIST: EXISTS,
};

/** @throws FileNotWrittenError */
export function refuseExisting(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new FileNotWrittenError(file, IS_FOLDER);
  if (existsSync(file)) throw new FileNotWrittenError(file, EXISTS);
}

interface WholeFileOptions {
  /** Replaces an existing file. */
  force: boolean;
  stop?: AbortSignal;
}

/**
 * Writes a temporary file in the same directory. Renames this file when it is complete and on disk, so that no reader finds an incomplete
 * file. An existing file stays unchanged until the rename.
 * @throws FileNotWrittenError
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
    // Without --force uses link, because rename would replace a file that was created meanwhile.
    if (force) await rename(beside, file);
    else await link(beside, file);
  } catch (error) {
    const { syscall, code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') refuseExisting(file);
    throw syscall ? new FileNotWrittenError(file, REASONS[code ?? ''] ?? message) : error;
  } finally {
    await rm(beside, { force: true });
  }
}
