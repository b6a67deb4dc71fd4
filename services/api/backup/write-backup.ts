import type { Db, Trx } from '../../platform/database/database';
import { appliedMigrations } from '../../platform/migrate/migrate';
import { findSecretChecks } from '../../platform/secrets';
import { readAsOf } from '../catalog/as-of';
import { END_OF_TABLE, writeBackupFile } from './backup-file';
import { BACKUP_FORMAT, type BackupHeader, PRODUCT, type TableHeader } from './backup-header';
import {
  checksumTable,
  copyOut,
  countTakenSeats,
  findColumns,
  findMonths,
  findSequences,
  openSnapshot,
} from './snapshot.repository';
import { COPIED_TABLES } from './tables';

/**
 * Writes all rows of one instant to a new file, while the services go on running. Uses one connection, and an amount of memory that does
 * not depend on the number of rows.
 * @param version the version of the product
 * @param signal ends the backup and removes its file
 * @throws BackupNotWrittenError
 */
export async function writeBackup(
  db: Db,
  file: string,
  { version, signal }: { version: string; signal?: AbortSignal },
): Promise<BackupHeader> {
  return db.transaction(async (trx) => {
    await openSnapshot(trx, COPIED_TABLES);
    let header: BackupHeader | undefined;
    // Reads the snapshot only after writeBackupFile has opened the file, so that an unwritable folder is refused first.
    const content = async function* () {
      header = await describeSnapshot(trx, version);
      yield* contentOf(trx, header);
    };
    await writeBackupFile(file, content, signal);
    return header!;
  });
}

async function describeSnapshot(trx: Trx, version: string): Promise<BackupHeader> {
  const { rows } = await trx.raw<{ rows: [{ at: Date }] }>('select clock_timestamp() as at');
  const madeAt = rows[0].at.toISOString();
  const columnsByTable = await findColumns(trx, COPIED_TABLES);
  const tables: TableHeader[] = [];
  for (const name of COPIED_TABLES) {
    const table = { name, columns: columnsByTable.get(name)! };
    tables.push({ ...table, ...(await checksumTable(trx, table)) });
  }
  return {
    product: PRODUCT,
    format: BACKUP_FORMAT,
    version,
    migrations: await appliedMigrations(trx),
    made_at: madeAt,
    as_of: await readAsOf(trx),
    secret_checks: Object.fromEntries(await findSecretChecks(trx)),
    months: await findMonths(trx),
    sequences: await findSequences(trx),
    seats: await countTakenSeats(trx, madeAt),
    tables,
  };
}

async function* contentOf(trx: Trx, header: BackupHeader): AsyncGenerator<Buffer> {
  yield Buffer.from(`${JSON.stringify(header)}\n`);
  for (const table of header.tables) {
    for await (const rows of await copyOut(trx, table)) yield rows as Buffer;
    yield END_OF_TABLE;
  }
}
