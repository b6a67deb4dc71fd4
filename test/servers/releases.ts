import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Db, inTransaction } from '../../services/platform/database/database';
import { migrateWithin } from '../../services/platform/migrate/migrate';
import { listMigrations, readMigration } from '../../services/platform/migrate/migration-files';

/** A schema that installations have. */
export interface ReleasedSchema {
  name: string;
  /** Its newest migration. */
  last: string;
  /** The files of its rows. */
  rows: string[];
}

const FIRST_ROWS = path.join(__dirname, '../platform/upgrade-rows.sql');
const LATER_ROWS = path.join(__dirname, 'rows-of-0130.sql');

export const RELEASED: ReleasedSchema[] = [
  { name: '0.1.0', last: '0116_departure_times_index', rows: [FIRST_ROWS] },
  { name: '0130', last: '0130_tags_in_languages', rows: [FIRST_ROWS, LATER_ROWS] },
  { name: '0140', last: '0140_order_of_events', rows: [FIRST_ROWS, LATER_ROWS] },
];

/** The schema of 0145 as its first file of 0141 made it on PostgreSQL 18: that file kept the function of 0140. */
const EARLIER_0145 = '0145_party_total';

export const upTo = (last: string): string[] => listMigrations().filter((name) => name <= last);

/** Makes a released schema in an empty database, with rows in every table. */
export async function givenRelease(db: Db, { last, rows }: ReleasedSchema): Promise<void> {
  await inTransaction(db, (trx) => migrateWithin(trx, upTo(last)));
  for (const file of rows) await db.raw(readFileSync(file, 'utf8').replaceAll('?', '\\?'));
  // Their secrets are not those of the tests, and no process has run here.
  await db.raw(
    'delete from webhook_secrets; delete from secret_checks; delete from api_instances; delete from webhook_workers',
  );
}

/** Makes the schema of EARLIER_0145 with the rows of 0140. */
export async function givenEarlier0145(db: Db): Promise<void> {
  const before = RELEASED.at(-1)!;
  await givenRelease(db, before);
  await inTransaction(db, (trx) => migrateWithin(trx, upTo(EARLIER_0145)));
  await db.raw(functionOf0140());
}

/** Returns the statement of 0140 that makes next_update_of. */
function functionOf0140(): string {
  const [statement] = /^create function next_update_of[^;]*;/m.exec(readMigration('0140_order_of_events'))!;
  return statement.replace('create function', 'create or replace function');
}
