-- The rights of the API and the webhook queue, for the servers where they log in with roles of their own (ADR 35). The role that runs the
-- migrations owns everything and keeps all rights; an installation may use it alone.

-- The rights of each role on each table: the text between GRANT and ON. An empty text: no rights. A migration that adds a table must add a
-- row for each role, and then run grant_database_roles(). The test of the roles fails without it.
create table database_rights (
  role   text not null constraint database_rights_role_known check (role in ('tour_platform_api', 'tour_platform_queue')),
  object text not null,
  rights text not null,
  primary key (object, role)
);

-- To lock a row (for update, for share), a role needs the right to update one of its columns, so two tables have update (created_at). For
-- departures, this right allows only the lock: the triggers of an update need rights that the API does not have.
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
  -- Only the owner writes check values, because one wrong row stops every start. The terminal writes the check value of a secret before the
  -- first row that depends on the secret.
  ('secret_checks',            'select',                                             'select'),
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

-- Gives those roles that exist on this server exactly the rights of database_rights. If the caller owns the database, also takes the right
-- to create temporary tables from every login but the owner. Run it again after a role was created.
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
  if pg_has_role((select datdba from pg_database where datname = current_database()), 'usage') then
    execute format('revoke temporary on database %I from public', current_database());
    for one in
      select distinct g.role from database_rights g join pg_roles p on p.rolname = g.role
    loop
      execute format('revoke temporary on database %I from %I', current_database(), one.role);
    end loop;
  end if;
end $$;

-- Roles belong to the server, not to the database: another database may have created them already, or may be creating them now.
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
