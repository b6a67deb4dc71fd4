import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';

/** Maximum bytes of a log file before rotation. */
const FILE_BYTES = 10 * 1024 * 1024;
/** Keeps the current file and `<file>.1` (the newest) to `<file>.4`. The limit is 50 MiB for each service. */
const FILES = 5;
const LINE_END = 0x0a;

/** Returns the names that the current file and the kept ones can have, the newest first. */
export function rotatedNames(file: string): string[] {
  return [file, ...Array.from({ length: FILES - 1 }, (_, age) => `${file}.${age + 1}`)];
}

interface RotatingLogOptions {
  fileBytes?: number;
  files?: number;
  /** Called once when lines begin to be lost, for example on a full disk. The service continues without a log. */
  onLost?: (reason: string) => void;
}

/** Appends to a file with mode 0600, and keeps a limited number of files of limited size. */
export function openRotatingLog(file: string, options: RotatingLogOptions = {}): Writable {
  const { fileBytes = FILE_BYTES, files = FILES, onLost = () => undefined } = options;
  let open: { descriptor: number; size: number } | undefined;
  let isLosing = false;

  const current = () => {
    if (open) return open;
    const descriptor = openSync(file, 'a', 0o600);
    return (open = { descriptor, size: fstatSync(descriptor).size });
  };
  const close = () => {
    if (open) closeSync(open.descriptor);
    open = undefined;
  };
  const rotate = () => {
    close();
    for (let age = files - 1; age > 0; age--)
      renameIfThere(age === 1 ? file : `${file}.${age - 1}`, `${file}.${age}`);
  };
  const append = (bytes: Buffer) => {
    if (bytes.length === 0) return;
    const log = current();
    for (let at = 0; at < bytes.length;) {
      const written = writeSync(log.descriptor, bytes, at);
      at += written;
      log.size += written;
    }
  };
  const write = (bytes: Buffer) => {
    if (current().size + bytes.length <= fileBytes) return append(bytes);
    // A chunk of a pipe may end within a line, which stays in one file.
    const lineEnd = bytes.indexOf(LINE_END) + 1;
    append(bytes.subarray(0, lineEnd));
    rotate();
    append(bytes.subarray(lineEnd));
  };

  return new Writable({
    write(chunk: Buffer, _, done) {
      try {
        write(chunk);
        isLosing = false;
      } catch (error) {
        if (!isLosing) onLost((error as Error).message);
        isLosing = true;
      }
      done();
    },
    final(done) {
      close();
      done();
    },
  });
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
