import { createHash, randomBytes } from 'node:crypto';
import { accessSync, constants as files, createReadStream, lstatSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import {
  BackupDamagedError,
  BackupInvalidError,
  BackupNotReadError,
  BackupNotWrittenError,
} from './backup.errors';
import { type BackupHeader, parseBackupHeader } from './backup-header';

/*
 * A backup file is a gzip, followed by one line: the SHA-256 of all bytes before this line, in hexadecimal. The gzip contains one line of
 * JSON (BackupHeader), and then the rows of each table in the text format of COPY, in the order of the tables in the header. A line `\.`
 * ends each table, as in the dumps of PostgreSQL; no row is such a line.
 */

/** 64 hexadecimal digits and a line break. */
const SEAL_BYTES = 65;
const CHUNK_BYTES = 256 * 1024;
export const END_OF_TABLE = Buffer.from('\\.\n');
const END_AFTER_ROW = Buffer.from('\n\\.\n');
/** Real headers have tens of kilobytes. The limit keeps a forged file from filling the memory with its first line. */
const HEADER_BYTES_MAX = 1024 * 1024;

/** @throws BackupNotWrittenError if the name exists, even as a link without a target, or if its folder cannot be written to */
export function refuseUnwritableFile(file: string): void {
  const name = path.resolve(file);
  try {
    if (lstatSync(name, { throwIfNoEntry: false })) throw new BackupNotWrittenError(file, REASONS.EEXIST!);
    accessSync(path.dirname(name), files.W_OK);
  } catch (error) {
    throw asNotWritten(file, error);
  }
}

const REASONS: Record<string, string> = {
  EEXIST: 'it exists',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder does not exist',
  EACCES: 'its folder may not be written to',
  EROFS: 'its folder is read-only',
};

/** Turns an error of the file system into a BackupNotWrittenError. Returns other errors unchanged. */
function asNotWritten(file: string, error: unknown): unknown {
  const { code = '', syscall, message } = error as NodeJS.ErrnoException;
  if (!syscall || OF_THE_NETWORK.test(code)) return error;
  return new BackupNotWrittenError(file, REASONS[code] ?? message);
}

/**
 * Writes a new file with mode 0600. The file has another name until it is complete and on disk, so that a killed backup leaves no file that
 * looks complete. Reads `content` only as fast as the disk can write it.
 * @param signal ends the backup and removes its file
 * @throws BackupNotWrittenError
 */
export async function writeBackupFile(
  file: string,
  content: () => AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}.part`;
  // Removes the draft at once: the pipeline ends only after the running statement, and the process may end before the pipeline.
  const discard = () => rmSync(draft, { force: true });
  signal?.addEventListener('abort', discard);
  try {
    refuseUnwritableFile(file);
    const handle = await open(draft, 'wx', 0o600);
    // The fastest level compresses 40 MB of booking rows to 13.0 MB in 0.5 s. The default level needs 0.9 s for 12.5 MB.
    const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: CHUNK_BYTES });
    await pipeline(content, gzip, sealed, handle.createWriteStream({ flush: true }), { signal });
    await claimName(file);
    await rename(draft, file);
  } catch (error) {
    // Ignores an error of the removal, because the first error says what is wrong.
    await rm(draft, { force: true }).catch(() => undefined);
    throw asNotWritten(file, error);
  } finally {
    signal?.removeEventListener('abort', discard);
  }
}

/** Creates an empty file, and throws if a file with this name exists. So two backups cannot write to the same name. */
async function claimName(file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  await handle.close();
}

/** Codes of a lost connection to the database. */
const OF_THE_NETWORK = /^E(CONN|PIPE|TIMEDOUT|HOST|NET)/;

async function* sealed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  yield Buffer.from(`${hash.digest('hex')}\n`);
}

/**
 * Reads the complete file. Compares its checksum, checks its header, counts the rows of each table, and checks that nothing follows.
 * @throws BackupNotReadError, BackupDamagedError, BackupInvalidError, BackupNewerError
 */
export async function verifyBackupFile(file: string): Promise<BackupHeader> {
  try {
    const { end, seal } = await readSeal(file);
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(file, { end, highWaterMark: CHUNK_BYTES }))
      hash.update(chunk as Buffer);
    if (seal !== `${hash.digest('hex')}\n`) throw new BackupDamagedError(file);
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw syscall ? new BackupNotReadError(file, message) : error;
  }
  return readBackupFile(file, async (header, nextRows) => {
    for (const { name, rows } of header.tables) {
      const found = await countRows(nextRows());
      if (found !== rows)
        throw new BackupInvalidError(file, `it has ${found} rows of ${name} instead of ${rows}`);
    }
    return header;
  });
}

/** Counts the line breaks: in the text format of COPY, a line break ends each row, and no row contains one. */
async function countRows(rows: AsyncIterable<Buffer>): Promise<number> {
  let found = 0;
  for await (const part of rows) for (let at = -1; (at = part.indexOf(10, at + 1)) >= 0;) found++;
  return found;
}

/** Returns the last line, which contains the checksum (`seal`), and the position of the last byte before this line (`end`). */
async function readSeal(file: string): Promise<{ end: number; seal: string }> {
  // Without O_NONBLOCK, opening a pipe that has no writer would wait forever, and Ctrl-C would not end it.
  const handle = await open(file, files.O_RDONLY | files.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new BackupNotReadError(file, 'it is no regular file');
    const start = stats.size - SEAL_BYTES;
    if (start <= 0) throw new BackupDamagedError(file);
    const { buffer } = await handle.read(Buffer.alloc(SEAL_BYTES), 0, SEAL_BYTES, start);
    return { end: start - 1, seal: buffer.toString('latin1') };
  } finally {
    await handle.close();
  }
}

/**
 * Reads a file as a stream.
 * @param work gets the header, and a function that returns the rows of the next table. `work` must read all tables, each to its end
 * @throws BackupInvalidError, BackupNewerError
 */
export async function readBackupFile<T>(
  file: string,
  work: (header: BackupHeader, nextRows: () => AsyncIterable<Buffer>) => Promise<T>,
): Promise<T> {
  const { end } = await readSeal(file);
  const bytes = createReadStream(file, { end, highWaterMark: CHUNK_BYTES });
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  bytes.on('error', (error) => gunzip.destroy(error));
  const content = new Content(file, bytes.pipe(gunzip));
  try {
    const result = await work(parseBackupHeader(file, await content.header()), () => content.rows());
    await content.expectEnd();
    // Checks that no other bytes follow the gzip, because gunzip would ignore them without an error.
    if (gunzip.bytesWritten !== end + 1) throw new BackupInvalidError(file, AFTER_LAST_TABLE);
    return result;
  } catch (error) {
    throw isOfGzip(error) ? new BackupInvalidError(file, 'it is not valid gzip') : error;
  } finally {
    bytes.destroy();
  }
}

const AFTER_LAST_TABLE = 'it has more bytes after its last table';

function isOfGzip(error: unknown): boolean {
  return /^Z_[A-Z_]+$/.test(String((error as NodeJS.ErrnoException).code));
}

/** The uncompressed content of a file, read from its beginning. */
class Content {
  private readonly chunks: AsyncIterator<Buffer>;
  private buffered: Buffer = Buffer.alloc(0);

  constructor(
    private readonly file: string,
    stream: AsyncIterable<Buffer>,
  ) {
    this.chunks = stream[Symbol.asyncIterator]();
  }

  async header(): Promise<string> {
    let at;
    while ((at = this.buffered.indexOf('\n')) < 0) {
      if (this.buffered.length > HEADER_BYTES_MAX)
        throw new BackupInvalidError(this.file, 'its header has more than 1 MiB');
      await this.read();
    }
    return this.take(at + 1).toString();
  }

  /** Returns the rows of the next table. Also reads the line that ends the table. */
  async *rows(): AsyncGenerator<Buffer> {
    while (this.buffered.length < END_OF_TABLE.length) await this.read();
    if (this.buffered.indexOf(END_OF_TABLE) === 0) return void this.take(END_OF_TABLE.length);
    let at;
    while ((at = this.buffered.indexOf(END_AFTER_ROW)) < 0) {
      // Keeps the last bytes in the buffer: the line that ends the table may begin in these bytes and continue in the next chunk.
      const complete = this.buffered.length - END_OF_TABLE.length;
      if (complete > 0) yield this.take(complete);
      await this.read();
    }
    yield this.take(at + 1);
    this.take(END_OF_TABLE.length);
  }

  async expectEnd(): Promise<void> {
    if (this.buffered.length === 0) {
      const next = await this.chunks.next();
      if (next.done) return;
    }
    throw new BackupInvalidError(this.file, AFTER_LAST_TABLE);
  }

  private take(length: number): Buffer {
    const taken = this.buffered.subarray(0, length);
    this.buffered = this.buffered.subarray(length);
    return taken;
  }

  private async read(): Promise<void> {
    const next = await this.chunks.next();
    if (next.done) throw new BackupInvalidError(this.file, 'it ends before its last table');
    this.buffered = this.buffered.length === 0 ? next.value : Buffer.concat([this.buffered, next.value]);
  }
}
