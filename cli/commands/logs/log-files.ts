import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import { type FileHandle, open } from 'node:fs/promises';
import type { Config } from '../../../services/platform/config/config';

/** The services that write a log file under DATA_DIR. */
export type ServiceName = 'api' | 'webhook-queue';

/** Returns the path of the current log file of a service. */
export function logFileOf({ dataDir }: Pick<Config, 'dataDir'>, name: ServiceName): string {
  return path.join(dataDir, 'logs', `${name}.log`);
}

/** Maximum bytes of a log file before rotation. */
const FILE_BYTES = 10 * 1024 * 1024;
/** Keeps the current file and `<file>.1` (the newest) to `<file>.4`. The limit is 50 MiB for each service. */
const FILES = 5;
const LINE_END = 0x0a;

/** Returns the possible names of the current file and of the rotated files, the newest first. */
function rotatedNames(file: string): string[] {
  return [file, ...Array.from({ length: FILES - 1 }, (_, age) => `${file}.${age + 1}`)];
}

interface RotatingLogOptions {
  fileBytes?: number;
  files?: number;
  /** Called once when the first lines are lost, for example on a full disk. The service continues without a log. */
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
    // Writes the end of an incomplete line to the same file before the rotation, because a chunk of a pipe may end within a line.
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

const CHUNK_BYTES = 64 * 1024;

/** One open file of a log. It stays readable after a rotation has renamed it. */
interface OpenFile {
  handle: FileHandle;
  /** Device and inode, which a rotation does not change. */
  identity: string;
  size: number;
}

/** Reads the log of one service from its rotated files, and continues with what is written later. */
export class LogReader {
  private current: OpenFile | undefined;
  private position = 0;
  private rest = Buffer.alloc(0);
  /** Opened files that are newer than the current one, the oldest first. */
  private later: OpenFile[] = [];

  constructor(private readonly file: string) {}

  /**
   * Reads the lines that were written since the last call, the oldest first. The first call reads all files.
   * @param tailBytes limits the first call to about this number of bytes from the end
   */
  async *read(tailBytes = Infinity): AsyncGenerator<string> {
    // Looks for newer files before it reads the current one. If there is a newer file, the service no longer writes to the current one.
    this.later = await this.openNewer();
    if (this.current) yield* this.drain();
    else if ((await this.skipToTail(tailBytes)) > 0) yield* withoutFirst(this.next());
    while (this.later.length > 0) yield* this.next();
  }

  /** Continues with the next file, from the start of that file. In the very first file, begins at the position that skipToTail has set. */
  private async *next(): AsyncGenerator<string> {
    // Yields a last line without a line break, which only a killed writer leaves.
    if (this.rest.length > 0) yield this.rest.toString();
    this.rest = Buffer.alloc(0);
    if (this.current) this.position = 0;
    await this.current?.handle.close();
    this.current = this.later.shift();
    yield* this.drain();
  }

  /** Reads the current file from the position to its end. */
  private async *drain(): AsyncGenerator<string> {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    while (this.current) {
      const { bytesRead } = await this.current.handle.read(chunk, 0, CHUNK_BYTES, this.position);
      if (bytesRead === 0) return;
      this.position += bytesRead;
      let text = Buffer.concat([this.rest, chunk.subarray(0, bytesRead)]);
      for (let end = text.indexOf(LINE_END); end >= 0; end = text.indexOf(LINE_END)) {
        if (end > 0) yield text.toString('utf8', 0, end);
        text = text.subarray(end + 1);
      }
      this.rest = text;
    }
  }

  /** Opens the files that are newer than the current one, the oldest first. */
  private async openNewer(): Promise<OpenFile[]> {
    const found: OpenFile[] = [];
    // Opens the newest file first: if a rotation renames files meanwhile, one file may be opened twice, but none is missed.
    for (const name of rotatedNames(this.file)) {
      const file = await openIfThere(name);
      if (!file) continue;
      const isKnown = found.some(({ identity }) => identity === file.identity);
      const isCurrent = file.identity === this.current?.identity;
      if (isKnown || isCurrent) await file.handle.close();
      if (isCurrent) break;
      if (!isKnown) found.unshift(file);
    }
    return found;
  }

  /** Skips all but about the last `tailBytes` bytes: drops the oldest files, and moves the position in the oldest file that is left. */
  private async skipToTail(tailBytes: number): Promise<number> {
    let left = this.later.reduce((total, { size }) => total + size, 0) - tailBytes;
    while (left > 0 && this.later.length > 1 && this.later[0]!.size <= left) {
      const dropped = this.later.shift()!;
      left -= dropped.size;
      await dropped.handle.close();
    }
    return (this.position = Math.max(0, left));
  }

  async close(): Promise<void> {
    for (const file of [this.current, ...this.later]) await file?.handle.close();
  }
}

/** Drops the first line, which begins before the position. */
async function* withoutFirst(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  await lines.next();
  yield* lines;
}

async function openIfThere(name: string): Promise<OpenFile | undefined> {
  try {
    const handle = await open(name);
    const { dev, ino, size } = await handle.stat();
    return { handle, identity: `${dev}:${ino}`, size };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
