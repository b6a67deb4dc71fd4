import { constants, createWriteStream, mkdtempSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { detectFileType } from '../../services/api/catalog-import/read-catalog-file';
import type { Io } from '../terminal/io';
import { UsageError } from './failure';
import { STANDARD_STREAM } from './values';

/** Parses the name of a file or named pipe to import. @param types the endings that it may have @throws UsageError */
export function fileToImport(text: string, name: string, types: readonly string[]): string {
  if (!types.includes(path.extname(text).toLowerCase())) {
    const endings = [types.slice(0, -1).join(', '), types.at(-1)].join(' or ');
    throw new UsageError(`${name} must be a ${endings} file, and ${text} has another ending`);
  }
  const found = statSync(text, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`${name} must be a file that exists, and ${text} does not`);
  if (found.isDirectory()) throw new UsageError(`${name} must be a file, and ${text} is a directory`);
  if (!found.isFile() && !found.isFIFO())
    throw new UsageError(`${name} must be a file or a named pipe, and ${text} is neither`);
  return text;
}

/**
 * Copies standard input and named pipes into temporary files, and removes these files after `work`. An import may read a file more than
 * once, and must not keep a transaction open while it waits for the writer of a pipe.
 * @param work receives the files to read, with their names for messages
 */
export async function withSpooledPipes<T>(
  files: string[],
  { stdin, interrupted: stop }: Io,
  work: (readable: string[], nameOf: (file: string) => string) => Promise<T>,
): Promise<T> {
  const isSpooled = (file: string) => file === STANDARD_STREAM || isPipe(file);
  if (!files.some(isSpooled)) return work(files, (file) => file);
  const folder = mkdtempSync(path.join(tmpdir(), 'tourctl-import-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  // Also removes the folder when the process exits, because an interrupted command exits before the `finally` below runs.
  process.once('exit', removeFolder);
  try {
    const names = new Map<string, string>();
    for (const [i, file] of files.entries()) {
      const copy = path.join(folder, `${i}${path.extname(file)}`);
      if (file === STANDARD_STREAM) names.set(await spoolInput(stdin, copy, stop), file);
      else names.set(isPipe(file) ? await spoolPipe(file, copy, stop) : file, file);
    }
    return await work([...names.keys()], (file) => names.get(file) ?? file);
  } finally {
    process.off('exit', removeFolder);
    removeFolder();
  }
}

function isPipe(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFIFO() ?? false;
}

/** Opens with O_NONBLOCK: otherwise a pipe without a writer blocks a thread, and the process cannot end. */
async function spoolPipe(pipe: string, copy: string, stop: AbortSignal | undefined): Promise<string> {
  const descriptor = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const source = new Socket({ fd: descriptor, readable: true, writable: false });
  await pipeline(source, createWriteStream(copy, { mode: 0o600 }), { signal: stop });
  return copy;
}

/** Copies standard input, then gives the copy the extension of its format. */
async function spoolInput(stdin: Readable, copy: string, stop: AbortSignal | undefined): Promise<string> {
  await pipeline(stdin, createWriteStream(copy, { mode: 0o600 }), { signal: stop });
  const named = `${copy}${await detectFileType(copy)}`;
  renameSync(copy, named);
  return named;
}
