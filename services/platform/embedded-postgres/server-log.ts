import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { withClusterFile } from './cluster-file';

export const SERVER_LOG = 'server.log';
/** One earlier log is kept beside it, `server.log.1`. */
const SERVER_LOG_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024;
const TAIL_LINES = 15;

/** Where the log of the start that follows will begin. A log that has grown big is set aside first. */
export function beginServerLog(directory: string): number {
  const log = path.join(directory, SERVER_LOG);
  const size = existsSync(log) ? statSync(log).size : 0;
  if (size < SERVER_LOG_BYTES) return size;
  renameSync(log, `${log}.1`);
  return 0;
}

/**
 * Copies a log that has grown big to `server.log.1` and empties it, while the server runs: the server keeps the file open,
 * so it cannot be renamed, and it only appends. What it writes between the two steps is lost. To be called under the
 * start lock.
 */
export function rotateServerLog(directory: string, limit = SERVER_LOG_BYTES): void {
  const log = path.join(directory, SERVER_LOG);
  if (!existsSync(log) || statSync(log).size < limit) return;
  const rotate = (file: number) => {
    const content = readFileSync(file);
    rmSync(`${log}.1`, { force: true });
    // Exclusively: a link that somebody puts in its place is not followed.
    const copy = openSync(`${log}.1`, 'wx', 0o600);
    try {
      writeSync(copy, content);
    } finally {
      closeSync(copy);
      ftruncateSync(file);
    }
  };
  withClusterFile(directory, SERVER_LOG, rotate, constants.O_RDWR);
}

/** The last lines that were written from there on: older ones tell of other troubles, and may name people. */
export function tailServerLog(directory: string, from: number): string {
  if (!existsSync(path.join(directory, SERVER_LOG))) return '';
  return withClusterFile(directory, SERVER_LOG, (file) => {
    const begin = Math.max(from, fstatSync(file).size - TAIL_BYTES);
    const buffer = Buffer.alloc(TAIL_BYTES);
    const bytes = readSync(file, buffer, 0, TAIL_BYTES, begin);
    return buffer.toString('utf8', 0, bytes).trim().split('\n').slice(-TAIL_LINES).join('\n');
  });
}
