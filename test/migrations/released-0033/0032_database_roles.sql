-- The rights of the API and the webhook queue, for the servers where they log in with roles of their own (ADR 35). The role that runs the
-- migrations owns everything and keeps all rights; an installation may use it alone.

-- The rights of each role on each table: the text between GRANT and ON; an empty text is none. A migration that adds a table adds a row for
-- each role, and runs grant_database_roles() last; test/platform/database-roles.test.ts fails until it does.
create table database_rights (
  role   text not null constraint database_rights_role_known check (role in ('tour_platform_api', 'tour_platform_queue')),
  object text not null,
  rights text not null,
  primary key (object, role)
);

-- A lock of a row (for update, for share) needs the right to update a column of it, so two tables have update (created_at). For departures it
-- allows the lock alone: the triggers of an update need rights that the API does not have.
insert into database_rights (object, role, rights)
select r.object, of_role.name, of_role.rights
from (values
  -- table                     API                                                   queue
  ('tenants',                  'select',                                             'select (id, slug, name)'),
  ('api_keys',                 'select, update (last_used_at, browser_seen_at)',     ''),
  ('widget_tokens',            'select, update (last_used_at)',                      ''),
  ('tours',                    'select',                                             ''),
  ('tour_tags',                'select',                                             ''),
  ('departures',               'select, update (created_at)',                        ''),
  ('next_departures',          'select, insert, update, delete',                     ''),
  ('next_departures_due',      'select, delete',                                     ''),
  ('visibility_tour_rules',    'select',                                             ''),
  ('visibility_continent_rules', 'select',                                           ''),
  ('price_rules',              'select',                                             ''),
  ('tour_imports',             '',                                                   ''),
  ('tour_edits',               '',                                                   ''),
  ('demo_tours',               '',                                                   ''),
  ('seat_holds',               'select, insert, update',                             ''),
  ('hold_extensions',          'select, insert',                                     ''),
  ('hold_changes',             'select, insert',                                     ''),
  ('booking_leads',            'select, insert, update',                             ''),
  ('booking_changes',          'select, insert',                                     ''),
  ('sequence booking_leads_id_seq', 'usage',                                         ''),
  ('octo_bookings',            'select, insert, update',                             ''),
  ('sale_refusal_counts',      'select, insert, update, delete',                     ''),
  ('sale_refusals',            'select (at), insert, delete',                        ''),
  ('idempotency_keys',         'select, insert, update, delete',                     ''),
  ('audit_log',                '',                                                   'select, insert'),
  ('webhook_endpoints',        'select',                                             'select, update (status, status_reason, status_since)'),
  ('webhook_secrets',          '',                                                   'select, insert, update (expires_at), delete'),
  ('webhook_events',           'insert, select (id, tenant_id, created_at)',         'select, insert, update (created_at)'),
  ('webhook_deliveries',       'insert, select (id, endpoint_id, next_attempt_at)',  'select, insert, update'),
  ('webhook_attempts',         '',                                                   'select, insert'),
  ('webhook_queue',            'insert',                                             'select, insert, update, delete'),
  ('webhook_health',           '',                                                   'select, insert, update, delete'),
  ('webhook_pulse',            '',                                                   'select, insert, update'),
  ('webhook_workers',          '',                                                   'select, insert, update, delete'),
  ('webhook_monitor_sessions', '',                                                   'select, update, delete'),
  ('change_version',           'select',                                             ''),
  ('change_marks',             '',                                                   ''),
  ('catalog_commits',          'select, delete',                                     ''),
  ('catalog_restores',         'select',                                             ''),
  ('tour_changes',             'select, delete',                                     ''),
  ('tenant_changes',           'select, delete',                                     ''),
  ('tour_publications',        'select, delete',                                     ''),
  ('visibility_periods',       'select, delete',                                     ''),
  ('tour_publication_times',   'select',                                             ''),
  ('visibility_times',         'select',                                             ''),
  ('api_instances',            'select, insert, update, delete',                     ''),
  ('secret_checks',            'select, insert, update',                             'select, insert, update'),
  ('database_rights',          '',                                                   ''),
  ('knex_migrations',          'select',                                             'select'),
  ('knex_migrations_lock',     '',                                                   ''),
  -- Creates and drops the tables of a month.
  ('function webhook_make_month_of(text, date)',                 '',                 'execute'),
  ('function webhook_drop_month(date)',                          '',                 'execute'),
  ('function webhook_stranded_months(integer)',                  '',                 'execute'),
  ('function webhook_expire_stranded(timestamptz, integer)',     '',                 'execute'),
  ('function webhook_snapshot_age()',                            '',                 'execute')
) as r (object, api, queue)
  cross join lateral (values ('tour_platform_api', r.api), ('tour_platform_queue', r.queue)) as of_role (name, rights);

-- Gives the roles that this server has exactly the rights of database_rights. Run it again after a role was created.
create function grant_database_roles() returns void language plpgsql as $$
declare
  one record;
begin
  for one in
    select g.* from database_rights g join pg_roles p on p.rolname = g.role
  loop
    execute format('revoke all on %s from %I', one.object, one.role);
    if one.rights <> '' then
      execute format('grant %s on %s to %I', one.rights, one.object, one.role);
    end if;
  end loop;
end $$;

-- The rest of the two functions is as in 0013. They run with the rights of the owner: the caller must not name another table, and the name
-- of a month has its schema, because it would else find a temporary view of the caller, whose functions would run as the owner.
create or replace function webhook_make_month_of(parent text, month date) returns boolean
  language plpgsql as $$
declare
  begins timestamptz := date_trunc('month', month)::timestamp at time zone 'UTC';
  ends timestamptz := (date_trunc('month', month) + interval '1 month')::timestamp at time zone 'UTC';
  part text := format('%I.%I', current_schema(), parent || to_char(month, '"_"YYYY"_"MM'));
  key text := case parent when 'webhook_attempts' then 'delivery_id' when 'webhook_pulse' then 'at' else 'id' end;
  low text := case key when 'at' then begins::text else webhook_first_id(begins)::text end;
  high text := case key when 'at' then ends::text else webhook_first_id(ends)::text end;
begin
  if parent not in ('webhook_events', 'webhook_deliveries', 'webhook_attempts', 'webhook_pulse') then
    raise exception '% has no months', parent;
  end if;
  if to_regclass(part) is not null then
    return false;
  end if;
  if begins <= clock_timestamp() then
    execute format('lock table %I in access exclusive mode', parent);
  end if;
  execute format('create table %s (like %I including all)', part, parent);
  execute format('with moved as (delete from %1$I where %2$I >= %3$L and %2$I < %4$L returning *) insert into %5$s select * from moved',
    parent || '_default', key, low, high, part);
  execute format('alter table %I attach partition %s for values from (%L) to (%L)', parent, part, low, high);
  return true;
end $$;

create or replace function webhook_drop_month(month date) returns integer
  language plpgsql as $$
declare
  suffix text := to_char(month, '"_"YYYY"_"MM');
  ends timestamptz := (date_trunc('month', month) + interval '1 month')::timestamp at time zone 'UTC';
  deliveries text := format('%I.%I', current_schema(), 'webhook_deliveries' || suffix);
  given_up integer := 0;
  parent text;
begin
  if to_regclass(deliveries) is not null then
    execute format($q$select count(*) from %s where status in ('pending', 'retrying')$q$, deliveries) into given_up;
  end if;
  foreach parent in array array['webhook_attempts', 'webhook_deliveries', 'webhook_events', 'webhook_pulse'] loop
    execute format('drop table if exists %I.%I', current_schema(), parent || suffix);
  end loop;
  -- After the drops, whose locks keep a replay from queueing one of them again in between.
  delete from webhook_queue where delivery_id < webhook_first_id(ends);
  return given_up;
end $$;

-- Returns the age of the oldest open snapshot in seconds. A role sees the transactions of its own sessions only; the owner sees those of
-- all roles where it has pg_read_all_stats (docs/operations.md).
create function webhook_snapshot_age() returns float8 language sql stable as $$
  select coalesce(max(extract(epoch from now() - xact_start)), 0)::float8 from pg_stat_activity
  where backend_xmin is not null and pid <> pg_backend_pid()
$$;

-- The months belong to the owner, so these functions run with its rights, and find only its tables and functions.
do $$
declare
  signature text;
begin
  foreach signature in array array['webhook_make_month_of(text, date)', 'webhook_drop_month(date)', 'webhook_stranded_months(integer)',
    'webhook_expire_stranded(timestamptz, integer)', 'webhook_snapshot_age()']
  loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', signature, current_schema());
    execute format('revoke execute on function %s from public', signature);
  end loop;
end $$;

-- Roles belong to the server: another database may have created them, or create them right now.
do $$
declare
  missing text;
begin
  foreach missing in array array['tour_platform_api', 'tour_platform_queue'] loop
    continue when exists (select from pg_roles where rolname = missing);
    begin
      execute format('create role %I nologin', missing);
    exception
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then null; -- The services log in as the owner.
    end;
  end loop;
end $$;

select grant_database_roles();
