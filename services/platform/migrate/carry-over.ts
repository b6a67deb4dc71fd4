import path from 'node:path';
import type { Db, Trx } from '../database/database';
import { AppError } from '../errors';
import { listMigrations, MIGRATIONS, runMigrationWithin } from './migration-files';
import { readSchemaFacts } from './schema-facts';

/**
 * Before 0.1.0 the schema came from 37 migrations, 0001 to 0037, in the order in which it was developed. Now the schema comes from 14
 * migrations, one for each topic (the topic files, 0101 to 0114). This module converts a database that has the old migrations. A later
 * release removes this module together with migrations/before-0.1.0 and the old files in test/migrations.
 */
const OLD_NAME = /^00\d\d_/;
/** Refuses a database that lacks one of the old migrations 0001 to 0033. No database of an earlier build is in use. */
const FIRST_CARRIED = 33;
/** The last of the 14 migrations that create the schema by topic. Migrations after this one are ordinary changes. */
const LAST_TOPIC = '0114_roles';
/** Directory of the old migrations from 0034 on. It also has one more migration, which makes the old schema equal to the new one. */
const STEPS = path.join(MIGRATIONS, 'before-0.1.0');

/**
 * A temporary schema in which the topic files run, so that their result can be compared with the schema of the database. The transaction
 * rolls back the temporary schema.
 */
const SCRATCH = 'tour_platform_carry_over';

/**
 * Runs the old migrations that the database lacks. Then compares the schema with the schema that the topic files create. If both are equal,
 * records the topic files instead of the old migrations. All steps are one transaction, so a database with a different schema stays
 * unchanged. Needs the migration lock.
 * @returns the new names; none for a database without old migrations
 * @throws DatabaseTooOldError, SchemaNotCreatedError, SchemaDiffersError
 */
export async function carryOver(db: Db, applied: readonly string[]): Promise<string[]> {
  const old = applied.filter((name) => OLD_NAME.test(name));
  if (old.length === 0) return [];
  refuseTooOld(old);
  await refuseWithoutRight(db);
  const topics = topicFiles();
  await db.transaction(async (trx) => {
    // Creates the expected schema first, because this step locks nothing that the services use.
    const expected = await factsOfTopics(trx, topics);
    await trx.raw('set local lock_timeout = 2000');
    for (const step of listMigrations(STEPS))
      if (!old.includes(step)) await runMigrationWithin(trx, step, STEPS);
    await trx.raw('select grant_database_roles()');
    compareFacts(expected, await readSchemaFacts(trx));
    await trx('knex_migrations').whereIn('name', old).delete();
    await trx('knex_migrations').insert(
      topics.map((name) => ({ name, batch: 1, migration_time: trx.fn.now() })),
    );
  });
  return topics;
}

/**
 * Translates the names of the migrations that a backup has recorded.
 * @returns the names of the topic files if the backup has the old migrations; undefined if one of the old migrations 0001 to 0033 is
 * missing, or if there is a gap
 */
export function carriedNames(names: readonly string[]): string[] | undefined {
  const old = names.filter((name) => OLD_NAME.test(name));
  if (old.length === 0) return [...names];
  return isCarried(old) ? topicFiles() : undefined;
}

/** The old migration that added departures.status_changed_at. In the topic files, `create table departures` has this column. */
const STATUS_CHANGES = '0036_departure_status_changes';

/**
 * Returns whether a backup with these migrations lacks the column departures.status_changed_at, because its newest migration is one of 0033
 * to 0035.
 */
export function lacksStatusChanges(names: readonly string[]): boolean {
  return names.some((name) => OLD_NAME.test(name)) && !names.includes(STATUS_CHANGES);
}

function topicFiles(): string[] {
  return listMigrations().filter((name) => name <= LAST_TOPIC);
}

/** Returns whether the old migrations include 0001 to 0033 and have no gap. */
function isCarried(old: readonly string[]): boolean {
  const numbers = old.map((name) => Number(name.slice(0, 4))).sort((a, b) => a - b);
  return numbers.length >= FIRST_CARRIED && numbers.every((number, index) => number === index + 1);
}

function refuseTooOld(old: readonly string[]): void {
  if (!isCarried(old)) throw new DatabaseTooOldError(old.toSorted().at(-1)!);
}

/**
 * Refuses a role that may not create schemas. The owner of the database and a superuser may create schemas; another role needs the right
 * CREATE.
 */
async function refuseWithoutRight(db: Db): Promise<void> {
  const { rows } = await db.raw<{ rows: [{ may: boolean; database: string; role: string }] }>(`
    select has_database_privilege(current_database(), 'create') as may,
      quote_ident(current_database()) as database, quote_ident(current_user) as role`);
  const { may, database, role } = rows[0];
  if (!may) throw new SchemaNotCreatedError(database, role);
}

/** Runs the topic files in a temporary schema, describes this schema, and rolls everything back. */
async function factsOfTopics(trx: Trx, topics: readonly string[]): Promise<string[]> {
  await trx.raw(`
    savepoint before_topics;
    create schema ${SCRATCH};
    select set_config('search_path', '${SCRATCH}, ' || current_setting('search_path'), true)`);
  for (const name of topics) await runMigrationWithin(trx, name);
  const facts = await readSchemaFacts(trx);
  await trx.raw('rollback to savepoint before_topics');
  return facts;
}

function compareFacts(expected: readonly string[], found: readonly string[]): void {
  const lacks = without(expected, found);
  const has = without(found, expected);
  if (lacks.length > 0 || has.length > 0) throw new SchemaDiffersError(lacks, has);
}

function without(list: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return list.filter((fact) => !known.has(fact));
}

class DatabaseTooOldError extends AppError {
  readonly code = 'database_too_old';

  constructor(last: string) {
    super(
      `The migrations of this database end at ${last}, and this version carries over those from 0033 on: ` +
        'check out the last version with migrations/0037_departure_status_index.sql, run its tourctl migrate, then this one. ' +
        'Nothing was changed',
    );
  }
}

class SchemaNotCreatedError extends AppError {
  readonly code = 'schema_not_created';

  constructor(database: string, role: string) {
    super(
      `This update compares the schema of the database with a new one in another schema, which ${role} may not create: ` +
        `run "grant create on database ${database} to ${role}" as the owner of the database and migrate again. Nothing was changed`,
    );
  }
}

/** Limits the schema differences that an error lists: 5 missing ones and 5 additional ones. */
const LISTED = 5;

class SchemaDiffersError extends AppError {
  readonly code = 'schema_differs';

  constructor(lacks: readonly string[], has: readonly string[]) {
    const sides = [listed('it lacks', lacks), listed('it has in addition', has)].filter(
      (side) => side !== '',
    );
    super(
      `The schema of this database is not the one that its migrations make: ${sides.join('; ')}. ` +
        'Undo these differences (move objects of your own to another schema) and migrate again. Nothing was changed',
    );
  }
}

function listed(what: string, facts: readonly string[]): string {
  if (facts.length === 0) return '';
  const more = facts.length > LISTED ? `, and ${facts.length - LISTED} more` : '';
  return `${what} ${facts.slice(0, LISTED).map(shorten).join(', ')}${more}`;
}

/** Shortens a long schema difference, such as the body of a function. Keeps the beginning, which contains the name. */
function shorten(fact: string): string {
  const line = fact.replaceAll(/\s+/g, ' ');
  return `"${line.length > 160 ? `${line.slice(0, 160)}…` : line}"`;
}
