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
 * A backup file is gzip, and after it one line: the SHA-256 of all bytes before this line, in hexadecimal. The gzip contains one
 * line of JSON (BackupHeader) and then, in its order of tables, the rows of each table in the text format of COPY. A line `\.` ends
 * each table, as in the dumps of PostgreSQL; no row is such a line.
 */

/** A line break and 64 hexadecimal digits. */
const SEAL_BYTES = 65;
const CHUNK_BYTES = 256 * 1024;
export const END_OF_TABLE = Buffer.from('\\.\n');
const END_AFTER_ROW = Buffer.from('\n\\.\n');
/** Headers have tens of kilobytes. A forged file must not fill the memory with its first line. */
const MOST_HEADER_BYTES = 1024 * 1024;

/** @throws BackupNotWrittenError if the file exists, also as a link to no file, or its folder cannot be written to */
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

/** Turns an error of the file system into a BackupNotWrittenError; returns others as they are. */
function asNotWritten(file: string, error: unknown): unknown {
  const { code = '', syscall, message } = error as NodeJS.ErrnoException;
  if (!syscall || OF_THE_NETWORK.test(code)) return error;
  return new BackupNotWrittenError(file, REASONS[code] ?? message);
}

/**
 * Writes a new file with mode 0600. It has another name until it is complete and on disk, so that a killed backup leaves no file
 * that looks complete. Reads `content` only as fast as the disk takes it.
 * @param signal ends the backup and removes its file
 * @throws BackupNotWrittenError
 */
export async function writeBackupFile(
  file: string,
  content: () => AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}.part`;
  // Removes the draft at once, because the pipeline waits for a running statement, and the process may end before.
  const discard = () => rmSync(draft, { force: true });
  signal?.addEventListener('abort', discard);
  try {
    refuseUnwritableFile(file);
    const handle = await open(draft, 'wx', 0o600);
    // The fastest level: 40 MB of rows like bookings take 0.5 s and become 13.0 MB, with the default level 0.9 s and 12.5 MB.
    const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: CHUNK_BYTES });
    await pipeline(content, gzip, sealed, handle.createWriteStream({ flush: true }), { signal });
    await claimName(file);
    await rename(draft, file);
  } catch (error) {
    // Ignores a second error, because the first one says what is wrong.
    await rm(draft, { force: true }).catch(() => undefined);
    throw asNotWritten(file, error);
  } finally {
    signal?.removeEventListener('abort', discard);
  }
}

/** Creates the file empty, so that only one of two backups to the same name replaces it. */
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
 * Reads the complete file: compares its checksum, then checks its header, counts the rows of each table, and expects the end after them.
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

/** Counts line breaks: in the text format of COPY one ends each row, and none is in a row. */
async function countRows(rows: AsyncIterable<Buffer>): Promise<number> {
  let found = 0;
  for await (const part of rows) for (let at = -1; (at = part.indexOf(10, at + 1)) >= 0;) found++;
  return found;
}

/** Reads the last line, which has the checksum, and returns the position of the last byte before it too. */
async function readSeal(file: string): Promise<{ end: number; seal: string }> {
  // Opens with O_NONBLOCK: to open a pipe without a writer would wait forever, and Ctrl-C would not end it.
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
 * @param work gets the header, and a function that returns the rows of the next table; it reads all tables, each to its end
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
    // Checks that the gzip has no other bytes after it: these would end the stream without an error.
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
      if (this.buffered.length > MOST_HEADER_BYTES)
        throw new BackupInvalidError(this.file, 'its header has more than 1 MiB');
      await this.read();
    }
    return this.take(at + 1).toString();
  }

  /** Returns the rows of the next table. Reads the line after them too, which ends the table. */
  async *rows(): AsyncGenerator<Buffer> {
    while (this.buffered.length < END_OF_TABLE.length) await this.read();
    if (this.buffered.indexOf(END_OF_TABLE) === 0) return void this.take(END_OF_TABLE.length);
    let at;
    while ((at = this.buffered.indexOf(END_AFTER_ROW)) < 0) {
      // Keeps the last bytes, because the line that ends the table may begin in them and continue in the next chunk.
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
