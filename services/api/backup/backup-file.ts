import { createHash, randomBytes } from 'node:crypto';
import { accessSync, constants as files, createReadStream, lstatSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import {
  BackupDamagedError,
  BackupNewerError,
  BackupNotReadError,
  BackupNotWrittenError,
} from './backup.errors';

/*
 * A backup file is gzip, and after it one line: the SHA-256 of all bytes before this line, in hexadecimal. The gzip contains one
 * line of JSON (BackupHeader) and then, in its order of tables, the rows of each table in the text format of COPY. A line `\.` ends
 * each table, as in the dumps of PostgreSQL; no row is such a line.
 */

/** Grows with a change that makes this version's restore fail. */
export const BACKUP_FORMAT = 1;
export const PRODUCT = 'tour-platform backup';

export interface BackupHeader {
  product: typeof PRODUCT;
  format: number;
  /** Version of the product that made the file. */
  version: string;
  /** Names of the migrations of its database. */
  migrations: string[];
  /** The database's clock in the snapshot, RFC 3339. */
  made_at: string;
  /** The `as_of` of the catalog in the snapshot, RFC 3339. */
  as_of: string;
  /** Check values of SECRETS_KEY and KEY_PEPPER by variable (ADR 25); null: it was in use before check values existed. */
  secret_checks: Record<string, string | null>;
  /** The months of the webhook history that have tables, YYYY-MM-DD. */
  months: string[];
  /** The last number that each sequence has given. */
  sequences: Record<string, number>;
  /** Seats that holds and bookings took at made_at. */
  seats: SeatCount;
  tables: TableHeader[];
}

export interface SeatCount {
  /** Departures with taken seats; a departure counts twice if real and sandbox seats are taken. */
  departures: number;
  seats: number;
  /** The checksum of the taken seats of each departure; see TableHeader. */
  checksum: string;
}

export interface TableHeader {
  name: string;
  columns: string[];
  rows: number;
  /** The sum of 64 bits of each row's MD5, so that the order of the rows does not matter. */
  checksum: string;
}

/** A line break and 64 hexadecimal digits. */
const SEAL_BYTES = 65;
const CHUNK_BYTES = 256 * 1024;
export const END_OF_TABLE = Buffer.from('\\.\n');
const END_AFTER_ROW = Buffer.from('\n\\.\n');

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
  // At once: the pipeline waits for a running statement, and the process does not.
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
    // The first error says what is wrong.
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
 * Reads the complete file and compares its checksum. Then returns the header.
 * @throws BackupNotReadError, BackupDamagedError, BackupNewerError
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
  return readBackupFile(file, (header) => Promise.resolve(header));
}

/** Reads the last line, and the place of the last byte before it. */
async function readSeal(file: string): Promise<{ end: number; seal: string }> {
  // With O_NONBLOCK, because a pipe without a writer would never open, not even for Ctrl-C.
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
 * Reads a verified file as a stream.
 * @param work gets the header, and a function that returns the rows of the next table; read them to the end before the next call
 */
export async function readBackupFile<T>(
  file: string,
  work: (header: BackupHeader, nextRows: () => AsyncIterable<Buffer>) => Promise<T>,
): Promise<T> {
  const { end } = await readSeal(file);
  const bytes = createReadStream(file, { end, highWaterMark: CHUNK_BYTES });
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  bytes.on('error', (error) => gunzip.destroy(error));
  const content = new Content(bytes.pipe(gunzip));
  try {
    const header = JSON.parse(await content.line()) as BackupHeader | null;
    if (header?.product !== PRODUCT) throw new BackupDamagedError(file);
    if (header.format > BACKUP_FORMAT) throw new BackupNewerError(file, `format ${header.format}`);
    return await work(header, () => content.rows());
  } catch (error) {
    throw error instanceof SyntaxError || isOfGzip(error) ? new BackupDamagedError(file) : error;
  } finally {
    bytes.destroy();
  }
}

function isOfGzip(error: unknown): boolean {
  return /^Z_[A-Z_]+$/.test(String((error as NodeJS.ErrnoException).code));
}

/** The uncompressed content of a file, read from its beginning. */
class Content {
  private readonly chunks: AsyncIterator<Buffer>;
  private buffered: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.chunks = stream[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    let at;
    while ((at = this.buffered.indexOf('\n')) < 0) await this.read();
    return this.take(at + 1).toString();
  }

  /** Returns the rows up to the end of the table, and reads that too. */
  async *rows(): AsyncGenerator<Buffer> {
    while (this.buffered.length < END_OF_TABLE.length) await this.read();
    if (this.buffered.indexOf(END_OF_TABLE) === 0) return void this.take(END_OF_TABLE.length);
    let at;
    while ((at = this.buffered.indexOf(END_AFTER_ROW)) < 0) {
      // The end may be divided between this chunk and the next one.
      const complete = this.buffered.length - END_OF_TABLE.length;
      if (complete > 0) yield this.take(complete);
      await this.read();
    }
    yield this.take(at + 1);
    this.take(END_OF_TABLE.length);
  }

  private take(length: number): Buffer {
    const taken = this.buffered.subarray(0, length);
    this.buffered = this.buffered.subarray(length);
    return taken;
  }

  private async read(): Promise<void> {
    const next = await this.chunks.next();
    if (next.done) throw new SyntaxError('the content ends before its last table');
    this.buffered = this.buffered.length === 0 ? next.value : Buffer.concat([this.buffered, next.value]);
  }
}
