import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../platform/config';
import type { Trx } from '../../platform/database';
import { acquireMigrationLock, knownMigrations, migrateWithin } from '../../platform/migrate';
import { compareSecrets } from '../../platform/secrets/check-secrets';
import { recordRestore } from '../catalog/as-of';
import { BackupDamagedError, BackupNewerError, RestoreDiffersError } from './backup.errors';
import { type BackupHeader, readBackupFile, type TableHeader, verifyBackupFile } from './backup-file';
import { analyzeTables, dropEmptySchema, finishLoad, prepareLoad } from './rebuild-schema.repository';
import {
  checksumTable,
  copyIn,
  countTakenSeats,
  makeMonth,
  setCopyForms,
  setSequence,
} from './snapshot.repository';
import { COPIED_TABLES } from './tables';

/** The sequence of the numbers in booking references. */
const BOOKING_NUMBERS = 'booking_leads_id_seq';
/**
 * Bookings that were made after the backup are lost, but their customers have the references. The numbers of so many are not given
 * again, so that no reference means another booking.
 */
const LOST_BOOKINGS = 100_000;

/**
 * Checks everything about a file that needs no database: that it is complete, of this version or an earlier one, of these secrets, and
 * names only tables of the product, because a forged file can have a correct checksum.
 * @throws BackupNotReadError, BackupDamagedError, BackupNewerError, SecretsError, ConfigError
 */
export async function checkBackup(config: Config, file: string): Promise<BackupHeader> {
  const header = await verifyBackupFile(file);
  if (!isComplete(header)) throw new BackupDamagedError(file);
  const known = await knownMigrations();
  const unknown = header.migrations.filter((name) => !known.includes(name));
  if (unknown[0] !== undefined)
    throw new BackupNewerError(file, `${header.version}, with migration ${unknown[0]}`);
  const copied: readonly string[] = COPIED_TABLES;
  if (!header.tables.every(({ name }) => copied.includes(name))) throw new BackupDamagedError(file);
  await compareSecrets(config, new Map(Object.entries(header.secret_checks)));
  return header;
}

/** Checks the form of each part that a restore reads, because a forged file can have a correct checksum. */
function isComplete(header: BackupHeader): boolean {
  const { format, version, made_at, as_of, migrations, months, secret_checks, sequences, seats, tables } =
    header;
  return (
    typeof format === 'number' &&
    areTexts([version, made_at, as_of]) &&
    areTexts(migrations) &&
    areTexts(months) &&
    [secret_checks, sequences, seats].every(isObject) &&
    Array.isArray(tables) &&
    tables.every((table) => isObject(table) && areTexts([table.name]) && areTexts(table.columns))
  );
}

function areTexts(list: unknown): boolean {
  return Array.isArray(list) && list.every((one) => typeof one === 'string');
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/**
 * Loads a checked file into an empty database, in the caller's transaction. Builds the schema that the file was made with, because the
 * rows fit no other; then loads, compares rows and checksums with the file, and migrates to the present schema.
 * @throws DatabaseNotEmptyError, ServicesRunningError, RestoreDiffersError
 */
export async function restoreBackup(trx: Trx, file: string): Promise<BackupHeader> {
  await acquireMigrationLock(trx);
  await setCopyForms(trx);
  const seenVersion = await dropEmptySchema(trx);
  return readBackupFile(file, async (header, nextRows) => {
    const tables = header.tables.map(({ name }) => name);
    await migrateWithin(trx, header.migrations);
    for (const month of header.months) await makeMonth(trx, month);
    const additions = await prepareLoad(trx, tables);
    for (const table of header.tables) await loadTable(trx, table, nextRows());
    await finishLoad(trx, additions);
    for (const [name, last] of Object.entries(header.sequences))
      await setSequence(trx, name, name === BOOKING_NUMBERS ? last + LOST_BOOKINGS : last);
    await migrateWithin(trx, await knownMigrations());
    await compareSeats(trx, header);
    await recordRestore(trx, { lostAfter: header.as_of, seenVersion });
    await analyzeTables(trx, tables);
    return header;
  });
}

/** Loads one table, reads it again, and compares. */
async function loadTable(trx: Trx, table: TableHeader, rows: AsyncIterable<Buffer>): Promise<void> {
  await pipeline(Readable.from(rows), await copyIn(trx, table));
  const loaded = await checksumTable(trx, table);
  if (loaded.rows !== table.rows)
    throw new RestoreDiffersError(`${table.name} has ${loaded.rows} rows instead of ${table.rows}`);
  if (loaded.checksum !== table.checksum)
    throw new RestoreDiffersError(`The checksum of ${table.name} is not that of the backup`);
}

/** Counts the taken seats of each departure by the restored rows, at the time of the backup. */
async function compareSeats(trx: Trx, { made_at: madeAt, seats }: BackupHeader): Promise<void> {
  const found = await countTakenSeats(trx, madeAt);
  if (found.departures !== seats.departures || found.checksum !== seats.checksum)
    throw new RestoreDiffersError(
      `${found.seats} seats of ${found.departures} departures are taken instead of ${seats.seats} of ${seats.departures}`,
    );
}
