import type { Db } from '../../platform/database/database';

export interface MissingRight {
  login: string;
  /** Such as `insert`, or `update (created_at)`. */
  right: string;
  /** A table, or `sequence` or `function` with its name. */
  object: string;
}

/**
 * Compares the rights of the logins in the groups of the API and the webhook queue with database_rights. Finds none where the services log in
 * as the owner: the statements of a sale are then tried as the owner.
 */
export async function findMissingRights(db: Db): Promise<MissingRight[]> {
  const { rows } = await db.raw<{ rows: MissingRight[] }>(
    `with login as (
       select m.rolname as name, g.rolname as role
       from pg_roles g join pg_auth_members a on a.roleid = g.oid join pg_roles m on m.oid = a.member
       where m.rolcanlogin and g.rolname in (select role from database_rights)
         -- The people of another installation on this server have no rights here.
         and (g.rolname in ('tour_platform_api', 'tour_platform_queue') or starts_with(m.rolname, current_database() || '_')
           and substr(m.rolname, length(current_database()) + 2) ~ '^[a-z0-9]{2,20}$')
     ), wanted as (
       select r.role, r.object, p[1] as privilege, columns.name as column_name,
         case when r.object ~ '^(function|sequence) ' then substr(r.object, 10) when r.object like 'schema %' then substr(r.object, 8)
           else r.object end as name
       from database_rights r
         cross join lateral regexp_matches(r.rights, '(\\w+)(?: \\(([^)]*)\\))?', 'g') as p
         cross join lateral regexp_split_to_table(coalesce(p[2], ''), ', *') as columns (name)
     )
     select l.name as login, w.object, w.privilege || case when w.column_name <> '' then format(' (%s)', w.column_name) else '' end as "right"
     from login l join wanted w using (role)
     where not case
       when w.object like 'function %' then has_function_privilege(l.name, w.name, w.privilege)
       when w.object like 'schema %' then has_schema_privilege(l.name, w.name, w.privilege)
       when w.object like 'sequence %' then has_sequence_privilege(l.name, w.name, w.privilege)
       when w.column_name <> '' then has_column_privilege(l.name, w.name, w.column_name, w.privilege)
       else has_table_privilege(l.name, w.name, w.privilege) end
     order by 1, 2, 3 limit 100`.replaceAll('?', '\\?'),
  );
  return rows;
}
