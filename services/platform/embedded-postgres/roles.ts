import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { REQUIRE_SCRAM } from '../database/scram-client';
import { DEADLOCK, LOCK_NOT_AVAILABLE, sqlState } from '../errors';
import { SUPERUSER } from './cluster';
import { readPassword } from './cluster-files';
import { EmbeddedPostgresError } from './embedded-postgres.errors';

/** The services and tourctl log in with this role. It owns the database and its schema, and has no other right. */
const SERVICE_ROLE = 'tour_platform_service';

const ATTEMPTS = 5;
const PAUSE_MS = 500;

export function superuserUrl(directory: string, port: number, database: string): string {
  return roleUrl(SUPERUSER, readPassword(directory), port, database);
}

export function serviceUrl(directory: string, port: number, database: string): string {
  return roleUrl(SERVICE_ROLE, servicePassword(readPassword(directory)), port, database);
}

function roleUrl(role: string, password: string, port: number, database: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}?${REQUIRE_SCRAM}`;
}

/** Derives the password from the superuser's, so that there is no second file that must match the role. */
function servicePassword(superuserPassword: string): string {
  return createHmac('sha256', superuserPassword).update(SERVICE_ROLE).digest('base64url');
}

/** Returns true after handOverDatabase: it changes the owner of the database last, in the same transaction. */
export async function isHandedOver(session: pg.ClientBase, database: string): Promise<boolean> {
  const { rowCount } = await session.query(
    'select from pg_database where datname = $1 and pg_get_userbyid(datdba) = $2',
    [database, SERVICE_ROLE],
  );
  return rowCount === 1;
}

/**
 * Creates the service role where it is missing and makes it the owner of everything in this database, which earlier
 * releases created as the superuser. Runs one transaction, which changes nothing where all is done.
 * @param session the superuser's, in the database of the services
 * @throws EmbeddedPostgresError while services of an earlier release keep the tables locked
 */
export async function handOverDatabase(session: pg.ClientBase, directory: string): Promise<void> {
  const statements = handOverStatements(servicePassword(readPassword(directory)));
  for (let attempt = 1; ; attempt++) {
    try {
      await session.query(statements);
      return;
    } catch (error) {
      await session.query('rollback');
      const isBusy = [LOCK_NOT_AVAILABLE, DEADLOCK].includes(sqlState(error) ?? '');
      if (!isBusy) throw error;
      if (attempt === ATTEMPTS) throw stillInUse();
      await sleep(PAUSE_MS);
    }
  }
}

/** Returns several statements for one message. The password has only characters that need no quoting. */
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

function stillInUse(): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'The database is still in use by services of an earlier release, so it cannot be given to the new role',
    'Stop those services (Ctrl-C, or SIGTERM) and start again',
  );
}
