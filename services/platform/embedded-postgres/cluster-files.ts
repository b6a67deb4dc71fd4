import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres.errors';

export const PASSWORD_FILE = 'tour-platform.password';
export const SERVER_LOG = 'server.log';
/** One earlier log is kept, `server.log.1`. */
const SERVER_LOG_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024;
const TAIL_LINES = 15;

/**
 * Opens a file of the cluster for `work`. Root gives the cluster to an account that other programs may use. So links of
 * both kinds and pipes are refused: they could lead root to the file of another account, or block it.
 * @throws EmbeddedPostgresError for anything but a plain file of the directory's owner; else the error of openSync
 */
export function withClusterFile<T>(
  directory: string,
  name: string,
  work: (file: number) => T,
  access: number = constants.O_RDONLY,
): T {
  const file = openWithoutLinks(path.join(directory, name), access);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.uid !== statSync(directory).uid)
      throw notAPlainFile(path.join(directory, name));
    return work(file);
  } finally {
    closeSync(file);
  }
}

function openWithoutLinks(file: string, access: number): number {
  try {
    return openSync(file, access | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ELOOP' ? notAPlainFile(file) : error;
  }
}

function notAPlainFile(file: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `${file} is not a plain file of the account that the database belongs to`,
    'Find out which program put it there, and restore the file or remove what is in its place',
  );
}

export function readClusterFile(directory: string, name: string): string {
  return withClusterFile(directory, name, (file) => readFileSync(file, 'utf8'));
}

/** Reads the superuser's password. */
export function readPassword(directory: string): string {
  try {
    return readClusterFile(directory, PASSWORD_FILE).trim();
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    throw new EmbeddedPostgresError(
      `The password of the database cannot be read (${(error as Error).message})`,
      'Restore that file, or move the directory away to begin with an empty database',
    );
  }
}

/** Returns the log's size in bytes; 0 where there is no log. */
export function serverLogSize(directory: string): number {
  return statSync(path.join(directory, SERVER_LOG), { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Copies the last 10 MiB of a larger log to `server.log.1` and empties it. The server keeps the file open and appends, so
 * it cannot be renamed. Lines that the server writes between the two steps are lost. Needs the start lock.
 */
export function rotateServerLog(directory: string, limit = SERVER_LOG_BYTES): void {
  if (serverLogSize(directory) < limit) return;
  const rotate = (file: number) => {
    const copy = path.join(directory, `${SERVER_LOG}.1`);
    rmSync(copy, { force: true });
    // Fails on a link that another program has put in its place.
    writeFileSync(copy, readEnd(file, SERVER_LOG_BYTES), { flag: 'wx', mode: 0o600 });
    ftruncateSync(file);
  };
  withClusterFile(directory, SERVER_LOG, rotate, constants.O_RDWR);
}

/** Returns the last lines after position `from`: earlier lines are about other problems, and may name people. */
export function tailServerLog(directory: string, from: number): string {
  if (!existsSync(path.join(directory, SERVER_LOG))) return '';
  const text = withClusterFile(directory, SERVER_LOG, (file) => readEnd(file, TAIL_BYTES, from));
  return text.toString('utf8').trim().split('\n').slice(-TAIL_LINES).join('\n');
}

function readEnd(file: number, bytes: number, from = 0): Buffer {
  const { size } = fstatSync(file);
  const begin = Math.max(from, size - bytes);
  const buffer = Buffer.alloc(Math.max(0, size - begin));
  return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, begin));
}
