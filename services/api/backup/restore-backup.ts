import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../platform/config';
import type { Trx } from '../../platform/database';
import { carriedNames, lacksStatusChanges } from '../../platform/migrate/carry-over';
import { acquireMigrationLock, knownMigrations, migrateWithin } from '../../platform/migrate';
import { compareSecrets, findSecretChecks } from '../../platform/secrets';
import { sqlState } from '../../platform/errors';
import { readAsOf, recordRestore } from '../catalog/as-of';
import {
  BackupInvalidError,
  BackupNewerError,
  BackupTooOldError,
  RestoreDiffersError,
} from './backup.errors';
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
 * How many numbers each sequence skips. Rows from after the backup are lost, but customers still have their booking references, and
 * operators the numbers of their rules: no new row may get one of these.
 */
export const LOST_NUMBERS = 100_000;

/**
 * Checks everything about a file that needs no database: that it is complete, of this version or an earlier one, of these secrets, and
 * names only tables of the product, because a forged file can have a correct checksum.
 * @throws BackupNotReadError, BackupDamagedError, BackupInvalidError, BackupNewerError, BackupTooOldError, SecretsError
 */
export async function checkBackup(config: Config, file: string): Promise<BackupHeader> {
  const header = await verifyBackupFile(file);
  const known = await knownMigrations();
  const unknown = migrationsOf(file, header).filter((name) => !known.includes(name));
  if (unknown[0] !== undefined)
    throw new BackupNewerError(file, `${header.version}, with migration ${unknown[0]}`);
  const copied: readonly string[] = COPIED_TABLES;
  const foreign = header.tables.find(({ name }) => !copied.includes(name));
  if (foreign) throw new BackupInvalidError(file, `it has a table ${foreign.name}, which no backup copies`);
  compareSecrets(config, new Map(Object.entries(header.secret_checks)));
  return header;
}

/** Returns the migrations of the file, by the names that this version has for them. */
function migrationsOf(file: string, { migrations, version }: BackupHeader): string[] {
  const names = carriedNames(migrations);
  if (!names) throw new BackupTooOldError(file, `${version}, at ${migrations.toSorted().at(-1)}`);
  return names;
}

/**
 * Loads a checked file into an empty database, in the caller's transaction. Builds the schema that the file was made with, because the
 * rows fit no other; then loads, compares rows and checksums with the file, and migrates to the present schema.
 * @throws DatabaseNotEmptyError, ServicesRunningError, BackupInvalidError, RestoreDiffersError
 */
export async function restoreBackup(trx: Trx, file: string): Promise<BackupHeader> {
  await acquireMigrationLock(trx);
  await setCopyForms(trx);
  const seenVersion = await dropEmptySchema(trx);
  return readBackupFile(file, async (header, nextRows) => {
    const tables = header.tables.map(({ name }) => name);
    await withFileErrors(file, 'its migrations', async () => {
      await migrateWithin(trx, migrationsOf(file, header));
      for (const month of header.months) await makeMonth(trx, month);
    });
    await compareColumns(trx, file, header);
    const additions = await prepareLoad(trx, tables);
    for (const table of header.tables)
      await withFileErrors(file, `its rows of ${table.name}`, () => loadTable(trx, table, nextRows()));
    await withFileErrors(file, 'the keys of its rows', () => finishLoad(trx, additions));
    await setSequences(trx, file, header);
    await withFileErrors(file, 'its rows in later migrations', async () =>
      migrateWithin(trx, await knownMigrations()),
    );
    await advanceSequences(trx, LOST_NUMBERS);
    await compareSeats(trx, header);
    await compareSecretChecks(trx, file, header);
    await recordRestore(trx, { lostAfter: header.as_of, seenVersion });
    await analyzeTables(trx, tables);
    return header;
  });
}

/**
 * Completes a point-in-time recovery that was made by other means. Does the last steps of restoreBackup: the sequences skip the numbers
 * that may have been given, and tenants whose copy of the catalog has lost changes get the complete catalog. A second run only makes the
 * sequences skip more numbers.
 * @returns the new last number of each sequence
 */
export async function completeRecovery(trx: Trx): Promise<Record<string, number>> {
  await recordRestore(trx, { lostAfter: await readAsOf(trx), seenVersion: 0 });
  return advanceSequences(trx, LOST_NUMBERS);
}

/** SQLSTATEs of content that the schema refuses. Missing rights (42501) are no fault of the file. */
const REFUSED_CONTENT = /^(0A|22|23|42(?!501)|54|P0)/;

/** Runs a step with the content of the file. The error of PostgreSQL would show values of rows, so it is replaced. */
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

/** Expects all tables and columns that the migrations of the file have made, and no others. */
async function compareColumns(trx: Trx, file: string, { tables, migrations }: BackupHeader): Promise<void> {
  const schema = await findColumns(trx, COPIED_TABLES);
  if (lacksStatusChanges(migrations))
    schema.set(
      'departures',
      schema.get('departures')!.filter((column) => column !== 'status_changed_at'),
    );
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

/** Checks that the header has the check values of the rows, because the header decides whether the file is restored here. */
async function compareSecretChecks(trx: Trx, file: string, { secret_checks }: BackupHeader): Promise<void> {
  const rows = await findSecretChecks(trx);
  const isSame = ([variable, value]: [string, string | null]) => rows.get(variable) === value;
  if (rows.size === Object.keys(secret_checks).length && Object.entries(secret_checks).every(isSame)) return;
  throw new BackupInvalidError(file, 'secret_checks of its header are not its rows');
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
