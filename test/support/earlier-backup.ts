import { END_OF_TABLE, writeBackupFile } from '../../services/api/backup/backup-file';
import type { SeatCount, TableHeader } from '../../services/api/backup/backup-header';
import {
  checksumTable,
  copyOut,
  findColumns,
  setCopyForms,
} from '../../services/api/backup/snapshot.repository';
import { COPIED_TABLES } from '../../services/api/backup/tables';
import type { Db } from '../../services/platform/database/database';
import { findSecretChecks } from '../../services/platform/secrets';

/** Counts the taken seats as the releases before price categories did: see countTakenSeats. */
async function countEarlierSeats(db: Db, at: string): Promise<SeatCount> {
  const { rows } = await db.raw(
    `with taken as (
       select departure_id, sandbox, sum(seats) as seats from (
         select departure_id, sandbox, quantity as seats from seat_holds where hold_lives(status, expires_at, :at::timestamptz)
         union all
         select departure_id, sandbox, adults + children from booking_leads
         where departure_id is not null and lead_stands(status, payment_due_at, :at::timestamptz)) sale
       group by departure_id, sandbox)
     select count(*)::integer as departures, coalesce(sum(t.seats), 0)::integer as seats,
       coalesce(sum(('x' || md5(t::text))::bit(64)::bigint::numeric), 0)::text as checksum
     from taken t`,
    { at },
  );
  return rows[0];
}

/**
 * Writes the backup that a version with these migrations, before price categories, would write. The backup has a monthly partition without
 * rows.
 */
export async function writeEarlierBackup(db: Db, file: string, migrations: string[]): Promise<void> {
  await db.transaction(async (trx) => {
    await setCopyForms(trx);
    const described: TableHeader[] = [];
    for (const [name, columns] of await findColumns(trx, COPIED_TABLES)) {
      const table = { name, columns };
      described.push({ ...table, ...(await checksumTable(trx, table)) });
    }
    const made_at = new Date().toISOString();
    const header = {
      product: 'tour-platform backup',
      format: 1,
      version: '0.0.9',
      migrations,
      made_at,
      as_of: made_at,
      secret_checks: Object.fromEntries(await findSecretChecks(trx)),
      months: ['2024-02-01'],
      sequences: { change_marks_change_id_seq: 77 },
      seats: await countEarlierSeats(trx, made_at),
      tables: described,
    };
    await writeBackupFile(file, async function* () {
      yield Buffer.from(`${JSON.stringify(header)}\n`);
      for (const table of described) {
        for await (const rows of await copyOut(trx, table)) yield rows as Buffer;
        yield END_OF_TABLE;
      }
    });
  });
}
