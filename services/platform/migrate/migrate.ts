import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { awaitIndexBuilds, type OnWait, withMigrationLock } from './migration-lock';
import type { Db, Trx } from '../database/database';
import { AppError } from '../errors';
import { explainMigrationFailure, explainRolledBack, isLockRefused } from './migration-failed';
import { CONCURRENTLY, listMigrations, readMigration, runMigrationWithin } from './migration-files';
import {
  awaitKilledInstances,
  needsStoppedInstances,
  refuseRunningInstances,
  requiresStoppedInstances,
} from './running-instances';

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
 * @param awaitsKilled true: waits up to a minute while processes of the API count as running that were killed. False: refuses at once
 * @returns the names of the migrations that ran
 * @throws MigrationFailedError, TablesInUseError, InstancesRunningError; earlier migrations of the same run stay applied
 * @throws DatabaseTooOldError, SchemaLaterError
 */
export async function migrate(db: Db, onWait: OnWait = () => {}, awaitsKilled = false): Promise<string[]> {
  return withMigrationLock(db, onWait, async () => {
    await awaitIndexBuilds(db, onWait);
    const pending = await pendingMigrations(db);
    if (pending.length === 0) await refuseLaterSchema(db);
    // Asks before the first migration, so that a refusal leaves the schema as it is.
    if (pending.some(requiresStoppedInstances)) await awaitStopped(db, { onWait, awaitsKilled, applied: [] });
    // Frees Knex's own lock, which a killed migration leaves locked. MIGRATION_LOCK prevents concurrent migrations.
    await db.migrate.forceFreeMigrationsLock({ migrationSource });
    // Runs each migration in a transaction of its own, so that its locks end with it.
    for (const [place, name] of pending.entries()) {
      const applied = pending.slice(0, place);
      try {
        await runMigration(db, name, { onWait, awaitsKilled, applied });
      } catch (error) {
        throw explainMigrationFailure(name, error, applied);
      }
    }
    return pending;
  });
}

interface StoppedInstances {
  onWait: OnWait;
  awaitsKilled: boolean;
  /** The migrations that this run has applied. */
  applied: readonly string[];
}

/**
 * Refuses or waits, as `migrate` says, while processes of the API run. A new database has none. @throws InstancesRunningError
 * @rule an update that is not rolling needs a stopped API: test/platform/upgrade.long.test.ts
 */
async function awaitStopped(db: Db, { onWait, awaitsKilled, applied }: StoppedInstances): Promise<void> {
  if (!(await db.schema.hasTable('api_instances'))) return;
  if (awaitsKilled) await awaitKilledInstances(db, applied, onWait);
  else await refuseRunningInstances(db, applied);
}

/** Runs a migration. If a process of the API has started since `migrate` asked, refuses or waits as `migrate` says. */
async function runMigration(db: Db, name: string, stopped: StoppedInstances): Promise<void> {
  const run = () => runUntilLocked(() => db.migrate.up({ migrationSource, name }));
  try {
    await run();
  } catch (error) {
    if (!needsStoppedInstances(error)) throw error;
    await awaitStopped(db, stopped);
    await run();
  }
}

/**
 * Repeats a migration that could not lock a table because of a long transaction. Other statements can run in the pauses between the tries.
 */
async function runUntilLocked(run: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await run();
      return;
    } catch (error) {
      if (attempt === TABLE_LOCK_ATTEMPTS || !isLockRefused(error)) throw error;
      await sleep(TABLE_LOCK_PAUSE_MS);
    }
  }
}

/** Matches the names of 0001 to 0037, the migrations of the builds before 0.1.0. 0.1.0 replaces them by those of this build. */
const BEFORE_FIRST_RELEASE = /^00\d\d_/;

/** A database or a backup has migrations of a build before 0.1.0. */
class DatabaseTooOldError extends AppError {
  readonly code = 'database_too_old';
}

/**
 * Refuses the migrations of a build before 0.1.0.
 * @param subject what has the migrations, as the message names it
 * @param remedy what to do with 0.1.0
 * @throws DatabaseTooOldError
 */
export function refuseTooOld(names: readonly string[], subject: string, remedy: string): void {
  if (!names.some((name) => BEFORE_FIRST_RELEASE.test(name))) return;
  throw new DatabaseTooOldError(`${subject} has migrations from before 0.1.0: ${remedy} with 0.1.0 first`);
}

/** Searches the whole path, because another schema is first on the path of people who may not see customers. */
async function hasMigrations(db: Db): Promise<boolean> {
  const { rows } = await db.raw<{ rows: [{ found: boolean }] }>(
    "select to_regclass('knex_migrations') is not null as found",
  );
  return rows[0].found;
}

/** Lists the migrations that the database has, in their order. @throws DatabaseTooOldError */
export async function appliedMigrations(db: Db): Promise<string[]> {
  if (!(await hasMigrations(db))) return [];
  const names = await db('knex_migrations').orderBy('name').pluck<string[]>('name');
  refuseTooOld(names, 'This database', 'migrate');
  return names;
}

/** Lists the migrations that this build has and the database lacks. @throws DatabaseTooOldError */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const applied = new Set(await appliedMigrations(db));
  return listMigrations().filter((name) => !applied.has(name));
}

/** Migrations that the database has and this build lacks: those of a later release. */
export interface LaterMigrations {
  /** They declare by a row of rolling_migrations (0153) that processes of an earlier release can work with their schema. */
  rolling: string[];
  /** All others. */
  breaking: string[];
}

/**
 * Lists the migrations of a later release that the database has. All migrations of this build must be applied.
 * @rule on which schema of a later release a process is ready: test/api/health.test.ts
 */
export async function laterMigrations(db: Db): Promise<LaterMigrations> {
  const known = new Set(listMigrations());
  const later = (await appliedMigrations(db)).filter((name) => !known.has(name));
  if (later.length === 0) return { rolling: [], breaking: [] };
  const declared = new Set(await db('rolling_migrations').whereIn('name', later).pluck<string[]>('name'));
  return {
    rolling: later.filter((name) => declared.has(name)),
    breaking: later.filter((name) => !declared.has(name)),
  };
}

/** The database has migrations of a later release, with which this build cannot work. */
class SchemaLaterError extends AppError {
  readonly code = 'schema_later';

  constructor(breaking: string[]) {
    super(
      `The database has migrations of a later release, from ${breaking[0]} on: use that release. Nothing was changed`,
    );
  }
}

/** @throws SchemaLaterError */
export async function refuseLaterSchema(db: Db): Promise<void> {
  const { breaking } = await laterMigrations(db);
  if (breaking.length > 0) throw new SchemaLaterError(breaking);
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
 * @throws MigrationFailedError
 */
export async function migrateWithin(trx: Trx, names: readonly string[]): Promise<void> {
  await trx.raw(MIGRATION_TABLES);
  const applied = new Set(await appliedMigrations(trx));
  for (const name of names.filter((one) => !applied.has(one))) {
    try {
      await runMigrationWithin(trx, name);
    } catch (error) {
      throw explainRolledBack(name, error);
    }
    await trx('knex_migrations').insert({ name, batch: 1, migration_time: trx.fn.now() });
  }
}

/** Lists the names of the functions that any migration creates. */
export function functionsOfMigrations(): string[] {
  const texts = listMigrations().map((name) => readMigration(name));
  const created = texts.flatMap((sql) => [...sql.matchAll(/^create (?:or replace )?function (\w+)/gm)]);
  return [...new Set(created.map(([, name]) => name!))];
}

/** Returns the newest migration that the database has; undefined without any. */
export async function newestMigration(db: Db): Promise<string | undefined> {
  if (!(await hasMigrations(db))) return undefined;
  const row = await db('knex_migrations').orderBy('name', 'desc').first<{ name: string } | undefined>('name');
  return row?.name;
}
