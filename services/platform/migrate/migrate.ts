import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { carryOver } from './carry-over';
import { awaitIndexBuilds, type OnWait, withMigrationLock } from './migration-lock';
import type { Db, Trx } from '../database/database';
import { AppError, DEADLOCK, LOCK_NOT_AVAILABLE, sqlState } from '../errors';
import { CONCURRENTLY, listMigrations, readMigration, runMigrationWithin } from './migration-files';

/** Gives Knex the numbered files. Migrations go forward only. */
class SqlMigrationSource implements Knex.MigrationSource<string> {
  getMigrations(): Promise<string[]> {
    return Promise.resolve(listMigrations());
  }

  getMigrationName(name: string): string {
    return name;
  }

  getMigration(name: string): Promise<Knex.Migration> {
    const sql = readMigration(name);
    const transaction = sql.search(CONCURRENTLY) < 0;
    const statements = transaction
      ? [`set local lock_timeout = ${TABLE_LOCK_MS}; ${sql}`]
      : sql.trim().split(/(?<=;)$/m);
    const up = async (db: Knex) => {
      for (const statement of statements) await db.raw(statement);
    };
    const down = () => Promise.reject(new Error('Migrations go forward only: write a new migration'));
    return Promise.resolve({ up, down, config: { transaction } });
  }
}

/** Limits how long a migration waits for the lock on a table, because all later statements on the table wait behind the migration. */
const TABLE_LOCK_MS = 2_000;
const TABLE_LOCK_ATTEMPTS = 20;
const TABLE_LOCK_PAUSE_MS = 500;

const migrationSource = new SqlMigrationSource();

/**
 * Migrates the schema to the latest version. Concurrent callers wait for each other. The pool must allow two connections.
 * @param onWait receives a line for each minute of waiting for another process
 * @returns the names of the migrations that ran. For a database from before 0.1.0, also the new names of its migrations
 * @throws TablesInUseError; earlier migrations of the same run stay applied
 * @throws DatabaseTooOldError, SchemaNotCreatedError, SchemaDiffersError
 */
export async function migrate(db: Db, onWait: OnWait = () => {}): Promise<string[]> {
  return withMigrationLock(db, onWait, async () => {
    await awaitIndexBuilds(db, onWait);
    const carried = await runUntilLocked(async () => carryOver(db, await appliedMigrations(db)));
    // Frees Knex's own lock, which a killed migration leaves locked. MIGRATION_LOCK prevents concurrent migrations.
    await db.migrate.forceFreeMigrationsLock({ migrationSource });
    return [...carried, ...(await runPending(db))];
  });
}

/** Runs each migration in a transaction of its own, so that its locks end with it. */
async function runPending(db: Db): Promise<string[]> {
  const pending = await pendingMigrations(db);
  for (const name of pending) await runUntilLocked(() => db.migrate.up({ migrationSource, name }));
  return pending;
}

/**
 * Repeats a migration that could not lock a table because of a long transaction. Other statements can run in the pauses between the tries.
 */
async function runUntilLocked<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (![LOCK_NOT_AVAILABLE, DEADLOCK].includes(sqlState(error) ?? '')) throw error;
      if (attempt === TABLE_LOCK_ATTEMPTS) throw new TablesInUseError();
      await sleep(TABLE_LOCK_PAUSE_MS);
    }
  }
}

/** Another transaction holds a lock of a table that a migration needs. */
class TablesInUseError extends AppError {
  readonly code = 'tables_in_use';

  constructor() {
    super(
      'A migration needs a table that a long transaction holds. Find it in pg_stat_activity, let it end, and migrate again.',
    );
  }
}

/** Lists the migrations that this build has, in their order. */
export async function knownMigrations(): Promise<string[]> {
  return migrationSource.getMigrations();
}

/** Lists the migrations that the database has, in their order. */
export async function appliedMigrations(db: Db): Promise<string[]> {
  if (!(await db.schema.hasTable('knex_migrations'))) return [];
  return db('knex_migrations').orderBy('name').pluck<string[]>('name');
}

/** Lists the migrations that this build has and the database lacks. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const applied = new Set(await appliedMigrations(db));
  return (await knownMigrations()).filter((name) => !applied.has(name));
}

/** Creates Knex's tables as Knex does. Knex's migrator is not used: in a transaction, it would change the settings of the pool. */
const MIGRATION_TABLES = `
  create table if not exists knex_migrations (
    id serial primary key, name varchar(255), batch integer, migration_time timestamptz);
  create table if not exists knex_migrations_lock (index serial primary key, is_locked integer);
  insert into knex_migrations_lock (is_locked) select 0 where not exists (select from knex_migrations_lock)`;

/**
 * Runs the named migrations that the database lacks, all in the caller's transaction. Use it for a database that no other process uses.
 * Call takeMigrationLock first.
 */
export async function migrateWithin(trx: Trx, names: readonly string[]): Promise<void> {
  await trx.raw(MIGRATION_TABLES);
  const applied = new Set(await appliedMigrations(trx));
  for (const name of names.filter((one) => !applied.has(one))) {
    await runMigrationWithin(trx, name);
    await trx('knex_migrations').insert({ name, batch: 1, migration_time: trx.fn.now() });
  }
}

/** Lists the names of the functions that any migration creates. */
export async function functionsOfMigrations(): Promise<string[]> {
  const texts = (await knownMigrations()).map((name) => readMigration(name));
  const created = texts.flatMap((sql) => [...sql.matchAll(/^create (?:or replace )?function (\w+)/gm)]);
  return [...new Set(created.map(([, name]) => name!))];
}

/** Returns the newest migration that the database has; undefined without any. */
export async function newestMigration(db: Db): Promise<string | undefined> {
  if (!(await db.schema.hasTable('knex_migrations'))) return undefined;
  const row = await db('knex_migrations').orderBy('name', 'desc').first<{ name: string } | undefined>('name');
  return row?.name;
}
