import { createTestDatabase, type TestDatabase } from '../support/database';
import { PEPPER } from '../support/given';
import type { Db } from '../../services/platform/database';
import { openTestTerminal, type TestTerminal } from '../cli/terminal';

/** A database without any table. */
const WITHOUT_SCHEMA = 'template0';
const SETTINGS = { KEY_PEPPER: PEPPER };

/** Databases and terminals that are dropped together. */
export interface Installations {
  /** Opens a terminal on a migrated, empty database. */
  migrated(settings?: Record<string, string>): Promise<TestTerminal>;
  /** Opens a terminal on a database without our tables. */
  bare(settings?: Record<string, string>): Promise<TestTerminal>;
  /** Creates a database without our tables. */
  bareDatabase(): Promise<TestDatabase>;
}

/** Drops the databases after the tests of a file or block. */
export function useInstallations(): Installations {
  const opened: TestDatabase[] = [];
  const keep = async <T extends TestDatabase>(opening: Promise<T>) => {
    const database = await opening;
    opened.push(database);
    return database;
  };
  afterAll(async () => {
    for (const database of opened) await database.drop();
  });
  return {
    migrated: (settings) => keep(openTestTerminal({ ...SETTINGS, ...settings })),
    bare: (settings) => keep(openTestTerminal({ ...SETTINGS, ...settings }, WITHOUT_SCHEMA)),
    bareDatabase: () => keep(createTestDatabase(WITHOUT_SCHEMA)),
  };
}

/** Lists our tables without partitions. */
export async function tablesOf(db: Db): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Describes columns, constraints, indexes, triggers, functions, views and rights. */
export async function schemaOf(db: Db): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { line: string }[] }>(
    `with our as (select oid, relname from pg_class where relnamespace = 'public'::regnamespace and not relispartition)
     select concat_ws(' ', 'column', t.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
       pg_get_expr(d.adbin, d.adrelid)) as line
     from pg_attribute a join our t on t.oid = a.attrelid left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attnum > 0
     union all
     select concat_ws(' ', 'constraint', t.relname, c.conname, pg_get_constraintdef(c.oid), c.convalidated) from pg_constraint c join our t on t.oid = c.conrelid
     union all
     select concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid), i.indisvalid) from pg_index i join our t on t.oid = i.indrelid
     union all
     select concat_ws(' ', 'trigger', t.relname, pg_get_triggerdef(g.oid), g.tgenabled) from pg_trigger g join our t on t.oid = g.tgrelid where not g.tgisinternal
     union all
     select concat_ws(' ', 'function', p.oid::regprocedure, md5(pg_get_functiondef(p.oid))) from pg_proc p
     where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and not exists (
       select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')
     union all
     select concat_ws(' ', 'right', c.relname, a.attname, g.grantee::regrole, g.privilege_type)
     from pg_class c join our using (oid) join pg_attribute a on a.attrelid = c.oid
       cross join aclexplode(a.attacl || c.relacl) g where g.grantee <> c.relowner
     union all
     select concat_ws(' ', 'right', p.proname, g.grantee::regrole, g.privilege_type)
     from pg_proc p cross join aclexplode(p.proacl) g where p.pronamespace = 'public'::regnamespace and g.grantee <> p.proowner
     union all
     select concat_ws(' ', 'view', viewname, definition) from pg_views where schemaname = 'public'
     order by 1`,
  );
  return rows.map(({ line }) => line);
}
