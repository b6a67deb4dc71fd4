import type { Db } from '../../services/platform/database/database';

/**
 * Describes the first schema of the search path in sorted lines with one fact each. If the lines of two databases on one server are equal,
 * their tables, columns, constraints, indexes, triggers, functions, views, sequences, rights and rows of database_rights are equal. Leaves
 * out the things that may differ between two correct databases: the months of the webhook history, the tables of Knex, members of
 * extensions, and the rights of roles that the migrations do not name.
 */
export async function readSchemaFacts(db: Db): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { fact: string }[] }>(FACTS);
  return rows.map(({ fact }) => fact);
}

/**
 * Passes pretty = true to pg_get_constraintdef and similar functions. They then omit the schema of each object on the search path, so equal
 * schemas with different names give equal lines.
 */
const FACTS = `
  with relation as (
    select c.oid, c.relname as name, c.relkind, c.relacl, c.relpersistence, c.reloptions, c.relispartition, c.relpartbound,
      c.relrowsecurity, c.relowner
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relname not like 'knex%'
      and c.relname !~ '_[0-9]{4}_(0[1-9]|1[0-2])(_|$)'
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  ), attribute as (
    select a.*, r.name as relation, r.relowner, row_number() over (partition by a.attrelid order by a.attnum) as place
    from pg_attribute a join relation r on r.oid = a.attrelid and r.relkind in ('r', 'p', 'v')
    where a.attnum > 0 and not a.attisdropped
  ), routine as (
    select p.*, format('%s(%s)', p.proname, pg_get_function_identity_arguments(p.oid)) as signature
    from pg_proc p
    where p.pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  ), acl (object, acl, owner) as (
    select name, coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner)), relowner
      from relation where relkind in ('r', 'p', 'v', 'S')
    union all select relation || '.' || attname, attacl, relowner from attribute where attacl is not null
    union all select 'function ' || signature, coalesce(proacl, acldefault('f', proowner)), proowner from routine
  ), fact (fact) as (
    select 'extension pg_trgm' from pg_extension where extname = 'pg_trgm'
    union all
    select concat_ws(' ', case relkind when 'v' then 'view' else 'table' end, name,
        case when relpersistence <> 'p' then 'persistence ' || relpersistence::text end,
        'partition by ' || case relkind when 'p' then pg_get_partkeydef(oid) end,
        'partition ' || case when relispartition then pg_get_expr(relpartbound, oid) end,
        'with ' || array_to_string(reloptions, ', '), case when relrowsecurity then 'row security' end)
      from relation where relkind in ('r', 'p', 'v', 'm', 'f')
    union all
    select format('view %s as %s', name, pg_get_viewdef(oid, true)) from relation where relkind = 'v'
    union all
    select format('sequence %s as %s start %s increment %s from %s to %s cache %s%s', r.name, format_type(s.seqtypid, null), s.seqstart,
        s.seqincrement, s.seqmin, s.seqmax, s.seqcache, case when s.seqcycle then ' cycle' end)
      from relation r join pg_sequence s on s.seqrelid = r.oid
    union all
    select concat_ws(' ', 'column', relation || '.' || attname, 'place ' || place, format_type(atttypid, atttypmod),
        case when attnotnull then 'not null' end,
        'collate ' || (select c.collname from pg_collation c where c.oid = attcollation and c.collname <> 'default'),
        'default ' || (select pg_get_expr(d.adbin, d.adrelid, true) from pg_attrdef d where d.adrelid = attrelid and d.adnum = attnum),
        'identity ' || nullif(attidentity::text, ''), 'generated ' || nullif(attgenerated::text, ''),
        -- Leaves out pg_attver, the position in the log at which PostgreSQL 15.20 and 17.12 made the column.
        'with ' || nullif(array_to_string(array(select o from unnest(attoptions) as o where o not like 'pg_attver=%'), ', '), ''))
      from attribute
    union all
    -- Leaves out the constraints NOT NULL: they are rows since PostgreSQL 18, with names that depend on how they were made.
    select format('constraint %s on %s %s', c.conname, r.name, pg_get_constraintdef(c.oid, true))
      from pg_constraint c join relation r on r.oid = c.conrelid where c.contype <> 'n'
    union all
    select concat_ws(' ', case when not i.indisvalid then 'invalid:' end, pg_get_indexdef(i.indexrelid, 0, true))
      from pg_index i join relation r on r.oid = i.indrelid
    union all
    select concat_ws(' ', case t.tgenabled when 'O' then null when 'D' then 'disabled:' else 'of a replica:' end, pg_get_triggerdef(t.oid, true))
      from pg_trigger t join relation r on r.oid = t.tgrelid where not t.tgisinternal
    union all
    select format('rule %s', pg_get_ruledef(w.oid, true)) from pg_rewrite w join relation r on r.oid = w.ev_class where r.relkind <> 'v'
    union all
    select format('policy %s on %s', y.polname, r.name) from pg_policy y join relation r on r.oid = y.polrelid
    union all
    select concat_ws(' ', 'function', p.signature, 'arguments (' || pg_get_function_arguments(p.oid) || ')',
        'returns ' || pg_get_function_result(p.oid), l.lanname, p.prokind, p.provolatile, p.proparallel, 'cost ' || p.procost,
        'rows ' || p.prorows, case when p.proisstrict then 'strict' end, case when p.proleakproof then 'leakproof' end,
        case when p.prosecdef then 'security definer' end,
        'set ' || replace(array_to_string(p.proconfig, ', '), quote_ident(current_schema()), 'SCHEMA'),
        'as ' || coalesce(pg_get_function_sqlbody(p.oid), p.prosrc))
      from routine p join pg_language l on l.oid = p.prolang
    union all
    select format('right %s %s on %s', coalesce(g.rolname, 'public'), e.privilege_type, a.object)
      from acl a cross join lateral aclexplode(a.acl) e left join pg_roles g on g.oid = e.grantee
      where e.grantee = 0 or g.rolname in ('tour_platform_api', 'tour_platform_queue')
    union all
    select format('row of database_rights: %s on %s has %s', role, object, rights) from database_rights
  )
  select fact from fact order by fact collate "C"`;
