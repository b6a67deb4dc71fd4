import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { sqlState } from '../errors';
import { EmbeddedPostgresError } from './embedded-postgres.errors';

/** The services and tourctl log in with it. It owns the database and its schema, and has no other right. */
export const SERVICE_ROLE = 'tour_platform_service';

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';
const ATTEMPTS = 5;
const PAUSE_MS = 500;

/** Derived from the superuser's password, so that there is no second file to keep in step with the role. */
export function servicePassword(superuserPassword: string): string {
  return createHmac('sha256', superuserPassword).update(SERVICE_ROLE).digest('base64url');
}

/**
 * Creates the service role where it is missing and makes it the owner of everything in this database, which earlier
 * releases created as the superuser. One transaction, and no change where nothing is left to do.
 * @param session the superuser's, in the database of the services
 * @throws EmbeddedPostgresError while services of an earlier release keep the tables locked
 */
export async function handOverDatabase(session: pg.ClientBase, password: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await session.query(handOver(password));
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

/** Several statements in one message. The password has only characters that need no quoting. */
function handOver(password: string): string {
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
      -- Without DETAIL and CONTEXT: those show the values of a row that was refused, which are personal data.
      alter role ${SERVICE_ROLE} set log_error_verbosity = terse;
      for one in
        select format('table %s', c.oid::regclass) as object from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
          and pg_get_userbyid(c.relowner) <> '${SERVICE_ROLE}'
          -- The sequence of a column follows its table; what belongs to an extension stays with it.
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
