import { createHmac } from 'node:crypto';
import type pg from 'pg';
import { REQUIRE_SCRAM } from '../database/database-url';
import { ScramClient } from '../database/scram-client';
import { readPassword } from './account';
import { SUPERUSER } from './cluster';

/** The services and tourctl log in with this role. It owns the database and its schema, and has no other right. */
const SERVICE_ROLE = 'tour_platform_service';
const DATABASE = 'tour_platform';

export function superuserUrl(directory: string, port: number, database: string): string {
  return roleUrl(SUPERUSER, readPassword(directory), port, database);
}

export function serviceUrl(directory: string, port: number): string {
  return roleUrl(SERVICE_ROLE, servicePassword(readPassword(directory)), port, DATABASE);
}

function roleUrl(role: string, password: string, port: number, database: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}?${REQUIRE_SCRAM}`;
}

/** Derives the password from the superuser's, so that there is no second file that must match the role. */
function servicePassword(superuserPassword: string): string {
  return createHmac('sha256', superuserPassword).update(SERVICE_ROLE).digest('base64url');
}

export function superuserClient(directory: string, port: number, database: string): pg.Client {
  const client = new ScramClient({
    connectionString: superuserUrl(directory, port, database),
    ssl: false,
    application_name: 'embedded-postgres',
    connectionTimeoutMillis: 10_000,
    // The service role owns the database: no function of its schema may run here by an unqualified name.
    options: '-c search_path=pg_catalog,pg_temp',
  });
  client.on('error', () => undefined); // 'end' follows
  return client;
}

/**
 * Creates the database of the services if it is missing, and gives it to the service role. Needs the start lock.
 * @param session the superuser's
 * @throws a database error with the SQLSTATE of a refused lock, while services of an earlier release use the tables
 */
export async function ensureDatabase(
  session: pg.Client,
  { directory, port, isNewServer }: { directory: string; port: number; isNewServer: boolean },
): Promise<void> {
  const { rows } = await session.query<{ owner: string }>(
    'select pg_get_userbyid(datdba) as owner from pg_database where datname = $1',
    [DATABASE],
  );
  if (!rows[0]) await session.query(`create database ${DATABASE}`);
  // An earlier release may have started a server that is already running.
  if (!isNewServer && rows[0]?.owner === SERVICE_ROLE) return;
  const client = superuserClient(directory, port, DATABASE);
  try {
    await client.connect();
    await client.query(handOverStatements(servicePassword(readPassword(directory))));
  } finally {
    await client.end();
  }
}

/**
 * Creates the service role where it is missing and makes it the owner of everything in this database, which earlier
 * releases created as the superuser. Runs one transaction, which changes the owner of the database last, and changes
 * nothing where all is done. The password has only characters that need no quoting.
 */
function handOverStatements(password: string): string {
  return `
    begin;
    set local lock_timeout = '2s';
    set local log_min_error_statement = panic;
    do $$
    declare
      one record;
    begin
      if not exists (select from pg_roles where rolname = '${SERVICE_ROLE}') then
        create role ${SERVICE_ROLE} login nosuperuser nocreatedb nocreaterole password '${password}';
      end if;
      -- Leaves out DETAIL and CONTEXT: they show the values of a refused row, which are personal data.
      alter role ${SERVICE_ROLE} set log_error_verbosity = terse;
      for one in
        select format('table %s', c.oid::regclass) as object from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
          and pg_get_userbyid(c.relowner) <> '${SERVICE_ROLE}'
          -- A column's sequence follows its table; an extension keeps its own objects.
          and not exists (select from pg_depend d
            where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i', 'e')
              and (d.deptype = 'e' or c.relkind = 'S'))
        union all
        select format('routine %s', p.oid::regprocedure) from pg_proc p
        where p.pronamespace = 'public'::regnamespace and pg_get_userbyid(p.proowner) <> '${SERVICE_ROLE}'
          and not exists (select from pg_depend d
            where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      loop
        execute format('alter %s owner to ${SERVICE_ROLE}', one.object);
      end loop;
      execute format('alter database %I owner to ${SERVICE_ROLE}', current_database());
    end $$;
    commit`;
}
