import { existsSync, fstatSync, readSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { withClusterFile } from './cluster-file';

export const SERVER_LOG = 'server.log';
const BYTES_MAX = 10 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024;
const TAIL_LINES = 15;

/** Where the log of the start that follows will begin. A log that has grown big is set aside first. */
export function beginServerLog(directory: string): number {
  const log = path.join(directory, SERVER_LOG);
  const size = existsSync(log) ? statSync(log).size : 0;
  if (size < BYTES_MAX) return size;
  renameSync(log, `${log}.1`);
  return 0;
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
