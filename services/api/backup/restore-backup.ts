import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../platform/config/config';
import type { Trx } from '../../platform/database/database';
import { appliedMigrations, migrateWithin, refuseTooOld } from '../../platform/migrate/migrate';
import { listMigrations } from '../../platform/migrate/migration-files';
import { takeMigrationLock } from '../../platform/migrate/migration-lock';
import { compareSecrets, findSecretChecks } from '../../platform/secrets';
import { sqlState } from '../../platform/errors';
import { readAsOf, recordRestore } from '../catalog/as-of';
import { BackupInvalidError, BackupNewerError, RestoreDiffersError } from './backup.errors';
import { readBackupFile, verifyBackupFile } from './backup-file';
import type { BackupHeader, TableHeader } from './backup-header';
import { analyzeTables, dropEmptySchema, finishLoad, prepareLoad } from './rebuild-schema.repository';
import {
  advanceSequences,
  checksumTable,
  copyIn,
  countTakenSeats,
  findColumns,
  findSequenceNames,
  makeMonth,
  setCopyForms,
  setSequence,
} from './snapshot.repository';
import { COPIED_TABLES } from './tables';

/**
 * How many numbers each sequence skips. Rows that were added after the backup are lost, but customers still have the references of their
 * bookings, and operators the numbers of their rules. No new row may get one of these numbers.
 */
export const LOST_NUMBERS = 100_000;

/**
 * Checks everything about a file that can be checked without a database. The file must be complete, of this version or an earlier one, and
 * made with the same secrets. The file may name only tables of the product, because a forged file can also have a correct checksum.
 * @throws BackupNotReadError, BackupDamagedError, BackupInvalidError, BackupNewerError, DatabaseTooOldError, SecretsError
 */
export async function checkBackup(config: Config, file: string): Promise<BackupHeader> {
  const header = await verifyBackupFile(file);
  refuseTooOld(header.migrations, file, 'restore it');
  const known = listMigrations();
  const unknown = header.migrations.filter((name) => !known.includes(name));
  if (unknown[0] !== undefined)
    throw new BackupNewerError(file, `${header.version}, with migration ${unknown[0]}`);
  const copied: readonly string[] = COPIED_TABLES;
  const foreign = header.tables.find(({ name }) => !copied.includes(name));
  if (foreign) throw new BackupInvalidError(file, `it has a table ${foreign.name}, which no backup copies`);
  compareSecrets(config, new Map(Object.entries(header.secret_checks)));
  return header;
}

/**
 * Loads a checked file into an empty database, in the caller's transaction. Builds the schema that the file was made with, because its rows
 * fit no other schema. Then loads the rows, compares their number and checksums with the file, and migrates to the present schema.
 * @throws DatabaseNotEmptyError, DatabaseTooOldError, ServicesRunningError, MigrationRunningError
 * @throws BackupInvalidError, RestoreDiffersError
 */
export async function restoreBackup(trx: Trx, file: string): Promise<BackupHeader> {
  await takeMigrationLock(trx);
  // Refuses a database from before 0.1.0, because dropEmptySchema drops only objects of later migrations.
  await appliedMigrations(trx);
  await setCopyForms(trx);
  const seenVersion = await dropEmptySchema(trx);
  return readBackupFile(file, async (header, nextRows) => {
    const tables = header.tables.map(({ name }) => name);
    await migrateWithin(trx, header.migrations);
    for (const month of header.months)
      await withFileErrors(file, `its month ${month}`, () => makeMonth(trx, month));
    await compareColumns(trx, file, header);
    const additions = await prepareLoad(trx, tables);
    for (const table of header.tables)
      await withFileErrors(file, `its rows of ${table.name}`, () => loadTable(trx, table, nextRows()));
    await withFileErrors(file, 'the keys of its rows', () => finishLoad(trx, additions));
    await setSequences(trx, file, header);
    await migrateWithin(trx, listMigrations());
    await advanceSequences(trx, LOST_NUMBERS);
    await compareSeats(trx, header);
    await compareSecretChecks(trx, file, header);
    await recordRestore(trx, { lostAfter: header.as_of, seenVersion });
    await analyzeTables(trx, tables);
    return header;
  });
}

/**
 * Completes a point-in-time recovery that was made by other means, with the last steps of restoreBackup. The sequences skip the numbers
 * that lost rows may have had. A tenant whose copy of the catalog contains lost changes gets the complete catalog. A second run does no
 * harm: the sequences skip more numbers.
 * @returns the new last number of each sequence
 */
export async function completeRecovery(trx: Trx): Promise<Record<string, number>> {
  await recordRestore(trx, { lostAfter: await readAsOf(trx), seenVersion: 0 });
  return advanceSequences(trx, LOST_NUMBERS);
}

/** SQLSTATEs of content that no schema takes: wrong values, and values that break a constraint. Any other error is the server's. */
const REFUSED_CONTENT = /^2[23]/;

/** Runs a step with the content of the file. Replaces an error of PostgreSQL about this content, because it would show values of rows. */
async function withFileErrors<T>(file: string, part: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const state = sqlState(error) ?? '';
    throw REFUSED_CONTENT.test(state)
      ? new BackupInvalidError(file, `PostgreSQL refuses ${part} (SQLSTATE ${state})`)
      : error;
  }
}

/** Checks that the file has all tables and columns that its migrations have created, and no others. */
async function compareColumns(trx: Trx, file: string, { tables }: BackupHeader): Promise<void> {
  const schema = await findColumns(trx, COPIED_TABLES);
  const given = new Map(tables.map(({ name, columns }) => [name, columns]));
  for (const name of new Set([...schema.keys(), ...given.keys()])) {
    const made = schema.get(name)?.toSorted();
    const listed = given.get(name)?.toSorted();
    if (made?.join() === listed?.join()) continue;
    throw new BackupInvalidError(file, `its columns of ${name} are not those of its migrations`);
  }
}

async function setSequences(trx: Trx, file: string, { sequences }: BackupHeader): Promise<void> {
  const known = await findSequenceNames(trx);
  for (const [name, last] of Object.entries(sequences)) {
    if (!known.includes(name)) throw new BackupInvalidError(file, `it has an unknown sequence ${name}`);
    await setSequence(trx, name, last);
  }
}

/**
 * Checks that the header and the restored rows have the same check values. checkBackup compared only the header's values with the secrets
 * of this installation.
 */
async function compareSecretChecks(trx: Trx, file: string, { secret_checks }: BackupHeader): Promise<void> {
  const rows = await findSecretChecks(trx);
  const isSame = ([variable, value]: [string, string | null]) => rows.get(variable) === value;
  if (rows.size === Object.keys(secret_checks).length && Object.entries(secret_checks).every(isSame)) return;
  throw new BackupInvalidError(file, 'secret_checks of its header are not its rows');
}

/** Loads one table, reads it again, and compares the number of rows and the checksum. */
async function loadTable(trx: Trx, table: TableHeader, rows: AsyncIterable<Buffer>): Promise<void> {
  await pipeline(Readable.from(rows), await copyIn(trx, table));
  const loaded = await checksumTable(trx, table);
  if (loaded.rows !== table.rows)
    throw new RestoreDiffersError(`${table.name} has ${loaded.rows} rows instead of ${table.rows}`);
  if (loaded.checksum !== table.checksum)
    throw new RestoreDiffersError(`The checksum of ${table.name} is not that of the backup`);
}

/** Counts the seats that the restored rows took at the time of the backup, and compares them with the header. */
async function compareSeats(trx: Trx, { made_at: madeAt, seats }: BackupHeader): Promise<void> {
  const found = await countTakenSeats(trx, madeAt);
  if (found.departures !== seats.departures || found.checksum !== seats.checksum)
    throw new RestoreDiffersError(
      `${found.seats} seats of ${found.departures} departures are taken instead of ${seats.seats} of ${seats.departures}`,
    );
}
