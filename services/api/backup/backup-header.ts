import { z } from 'zod';
import { BackupInvalidError, BackupNewerError } from './backup.errors';

/** The version of the file format. Increase it with each change of the format that older releases cannot restore. */
export const BACKUP_FORMAT = 1;
export const PRODUCT = 'tour-platform backup';

/**
 * The highest number that a header may have for a sequence. No real sequence reaches it. It is far below 2 ** 53, up to which JSON numbers
 * are exact, so that a restore can add to it.
 */
const NUMBERS_MAX = 2 ** 52;

const count = z.int().min(0);
/** The sum of the first 64 bits of each row's MD5. The order of the rows makes no difference to it. */
const checksum = z.string().regex(/^-?\d{1,40}$/);
const time = z.iso.datetime();

function distinct(item: z.ZodString) {
  return z.array(item).refine((list) => new Set(list).size === list.length, 'must have each entry once');
}

const tableHeader = z.object({
  name: z.string(),
  columns: distinct(z.string()).min(1),
  rows: count,
  checksum,
});

/** The taken seats of a database. */
const seatCount = z.object({
  /** Departures with taken seats; a departure counts twice if both real and sandbox seats are taken. */
  departures: count,
  seats: count,
  /** The checksum of the taken seats of each departure. */
  checksum,
});

/** These two fields are checked first: a file of another product, or of a later format, is refused before the rest is read. */
const kind = z.object({ product: z.literal(PRODUCT), format: z.int().min(1) });

const backupHeader = kind.extend({
  /** Version of the product that made the file. */
  version: z.string().max(100),
  /** Names of the migrations that the database had. */
  migrations: distinct(z.string()),
  /** The database's clock in the snapshot. */
  made_at: time,
  /** The `as_of` of the catalog in the snapshot. */
  as_of: time,
  /** The check values of SECRETS_KEY and KEY_PEPPER (ADR 25). Null: the secret was in use before check values existed. */
  secret_checks: z.record(
    z.string().regex(/^(SECRETS_KEY|KEY_PEPPER)$/),
    z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .nullable(),
  ),
  /** The months of the webhook history that have tables. */
  months: distinct(z.string().regex(/^[12]\d{3}-(0[1-9]|1[0-2])-01$/)).max(1200),
  /** The last number that each sequence has given. */
  sequences: z.record(z.string(), z.int().min(1).max(NUMBERS_MAX)),
  /** Seats that holds and bookings took at made_at. */
  seats: seatCount,
  tables: z
    .array(tableHeader)
    .refine(
      (list) => new Set(list.map(({ name }) => name)).size === list.length,
      'must have each table once',
    ),
});

export type TableHeader = z.infer<typeof tableHeader>;
export type SeatCount = z.infer<typeof seatCount>;
export type BackupHeader = z.infer<typeof backupHeader>;

/**
 * Reads the first line of a backup. Checks the form of every part, because a forged file can also have a correct checksum.
 * @throws BackupInvalidError, BackupNewerError
 */
export function parseBackupHeader(file: string, line: string): BackupHeader {
  const value = parseJson(file, line);
  const { format } = parsePart(file, kind, value);
  if (format > BACKUP_FORMAT) throw new BackupNewerError(file, `format ${format}`);
  return parsePart(file, backupHeader, value);
}

function parseJson(file: string, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new BackupInvalidError(file, 'its first line is not the header of a backup');
  }
}

function parsePart<T>(file: string, schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  const { path, message } = error.issues[0]!;
  const place = path.length > 0 ? `${path.join('.')} of its header` : 'its header';
  throw new BackupInvalidError(file, `${place} is wrong (${message})`);
}
