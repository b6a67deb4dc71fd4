import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Db } from '../../services/platform/database/database';
import { appliedMigrations } from '../../services/platform/migrate/migrate';
import {
  listMigrations,
  MIGRATIONS,
  runMigrationWithin,
} from '../../services/platform/migrate/migration-files';

/**
 * The directories with the migrations from before 0.1.0. Only tests need the first directory. The product needs the second one to
 * carry a database over.
 */
const DIRECTORIES = [path.join(__dirname, 'released-0033'), path.join(MIGRATIONS, 'before-0.1.0')];
/** The last migration of the builds before 0.1.0. The directory has one later file, which carries the database over. */
export const LAST_OLD = '0037_departure_status_index';

const MIGRATION_TABLES = `
  create table if not exists knex_migrations (id serial primary key, name varchar(255), batch integer, migration_time timestamptz);
  create table if not exists knex_migrations_lock (index serial primary key, is_locked integer);
  insert into knex_migrations_lock (is_locked) select 0 where not exists (select from knex_migrations_lock)`;

/** Runs the missing old migrations up to `last`, like the migrator of a build from before 0.1.0. */
export async function makeOldSchema(db: Db, last: string): Promise<void> {
  await db.raw(MIGRATION_TABLES);
  const applied = await appliedMigrations(db);
  for (const directory of DIRECTORIES)
    for (const name of listMigrations(directory).filter((one) => one <= last && !applied.includes(one))) {
      await db.transaction((trx) => runMigrationWithin(trx, name, directory));
      await db('knex_migrations').insert({ name, batch: 1, migration_time: db.fn.now() });
    }
}

/** Inserts rows in every table of a schema at 0033 or later. */
export async function fillOldTables(db: Db): Promise<void> {
  await db.raw(readFileSync(path.join(__dirname, 'rows.sql'), 'utf8').replaceAll('?', '\\?'));
}
