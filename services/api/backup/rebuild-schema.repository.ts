import type { Trx } from '../../platform/database/database';
import { functionsOfMigrations } from '../../platform/migrate/migrate';
import { DatabaseNotEmptyError, ServicesRunningError } from './backup.errors';
import { names } from './snapshot.repository';
import { COPIED_TABLES, HEARTBEATS, LEFT_OUT_TABLES, VIEW_SCHEMAS, VIEWS } from './tables';

const OUR_TABLES = [...COPIED_TABLES, ...Object.keys(LEFT_OUT_TABLES)];
/** A database without rows in these tables counts as empty. */
const DECISIVE = ['tenants', 'tours', 'booking_leads'];

/**
 * Locks the tables of the product, and checks that there is no tenant, tour or booking. Then drops the tables, views and functions of the
 * product and the logins of its people, and nothing else. Does nothing in a database that has no table of the product.
 * @returns the version in the table change_version, because earlier processes may have seen it; 0 if there is none
 * @throws DatabaseNotEmptyError, ServicesRunningError
 */
export async function dropEmptySchema(trx: Trx): Promise<number> {
  const tables = await findOurTables(trx);
  if (tables.length === 0) return 0;
  await refuseRunningServices(trx, tables);
  await trx.raw(`lock table ${names(trx, tables)} in access exclusive mode`);
  for (const table of DECISIVE.filter((name) => tables.includes(name)))
    if (await trx(table).first(trx.raw('1'))) throw new DatabaseNotEmptyError(table);
  if (tables.includes('people_logins')) await dropLogins(trx);
  const seen = tables.includes('change_version') ? await trx('change_version').first('version') : undefined;
  // Functions first, because some of them read the views.
  await dropOurFunctions(trx);
  await trx.raw(`drop schema if exists ${names(trx, VIEW_SCHEMAS)} cascade`);
  await trx.raw(`drop view if exists ${names(trx, VIEWS)}`);
  await trx.raw(`drop table ${names(trx, tables)}`);
  return seen?.version ?? 0;
}

/** Drops the logins of people, and ends their sessions: nothing else would know whose they are. The restored people get new ones. */
async function dropLogins(trx: Trx): Promise<void> {
  await trx('people').delete();
  await trx.raw('select people_end_sessions(name), people_drop_login(name) from people_logins');
}

async function findOurTables(trx: Trx): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { name: string }[] }>(
    `select relname as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname = any(:tables)`,
    { tables: OUR_TABLES },
  );
  return rows.map(({ name }) => name);
}

/** Refuses the restore while services run: a process would keep its cached data, and could send webhooks from the restored data. */
async function refuseRunningServices(trx: Trx, tables: string[]): Promise<void> {
  let running = 0;
  for (const [table, { column, seconds }] of Object.entries(HEARTBEATS)) {
    if (!tables.includes(table)) continue;
    const recent = trx.raw('clock_timestamp() - make_interval(secs => ?)', [seconds]);
    const [row] = await trx(table).where(column, '>', recent).count<{ count: number }[]>();
    running += row!.count;
  }
  if (running > 0) throw new ServicesRunningError(running);
}

/**
 * Drops with cascade, because tables and functions depend on each other. This also drops the triggers and constraints that use the
 * functions.
 */
async function dropOurFunctions(trx: Trx): Promise<void> {
  const { rows } = await trx.raw<{ rows: { signature: string }[] }>(
    `select p.oid::regprocedure::text as signature from pg_proc p
     where p.pronamespace = current_schema()::regnamespace and p.proname = any(:functions)
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
    { functions: functionsOfMigrations() },
  );
  const signatures = rows.map(({ signature }) => signature);
  if (signatures.length > 0) await trx.raw(`drop routine ${signatures.join()} cascade`);
}

/** Statements that add again what prepareLoad has dropped. */
export type Additions = string[];

/**
 * Empties the tables. Until `finishLoad`, the schema has no foreign keys, and the tables have no active triggers and no indexes except
 * those of constraints. The reasons:
 * - It is faster to build an index, or to check a foreign key, once for all rows than with each row.
 * - With foreign keys, the tables would have to be loaded in a certain order; api_keys even refers to itself.
 * - Triggers would record the load as changes. One trigger would refuse sandbox rows of a departure whose seats were reduced later.
 */
export async function prepareLoad(trx: Trx, tables: string[]): Promise<Additions> {
  const { rows: keys } = await trx.raw<{ rows: { table: string; name: string; definition: string }[] }>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace and conparentid = 0 order by 1, 2`,
  );
  const { rows: indexes } = await trx.raw<{ rows: { name: string; definition: string }[] }>(
    // Removes ONLY from the definition of an index on a partitioned table: an index that is created with ONLY lacks the partitions.
    `select i.indexrelid::regclass::text as name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as definition
     from pg_index i join pg_class t on t.oid = i.indrelid
     where t.relnamespace = current_schema()::regnamespace and t.relname = any(:tables) and not t.relispartition
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid) order by 1`,
    { tables },
  );
  const statements = [
    ...keys.map(({ table, name }) => `alter table ${table} drop constraint ${name}`),
    ...indexes.map(({ name }) => `drop index ${name}`),
    ...tables.map((table) => `alter table ${names(trx, [table])} disable trigger user`),
    `truncate ${names(trx, tables)}`,
  ];
  await run(trx, statements);
  return [
    ...indexes.map(({ definition }) => definition),
    ...keys.map(({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`),
    ...tables.map((table) => `alter table ${names(trx, [table])} enable trigger user`),
  ];
}

export async function finishLoad(trx: Trx, additions: Additions): Promise<void> {
  // With the server's default (64 MB), the keys of a large index would be sorted on disk.
  await run(trx, ["set local maintenance_work_mem = '256MB'", ...additions]);
}

async function run(trx: Trx, statements: string[]): Promise<void> {
  // Escapes question marks, which Knex would take for bindings.
  for (const statement of statements) await trx.raw(statement.replaceAll('?', '\\?'));
}

/** Computes the statistics of the planner. Without them, the first requests would read complete tables. */
export async function analyzeTables(trx: Trx, tables: string[]): Promise<void> {
  await trx.raw(`analyze ${names(trx, tables)}`);
}
