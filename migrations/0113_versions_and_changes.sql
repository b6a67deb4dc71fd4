-- Records of changes: the version by which processes drop cached data, and the changes that a tenant's copy of the catalog gets (ADR 28).

-- The version of the data that processes of the API cache, and the time of the last commit that changed the catalog. Each change of a
-- credential, a tenant, a visibility or price rule, or the catalog increments the version in the same transaction. Holds and bookings
-- never do.
create table change_version (
  only_row   boolean     primary key default true constraint change_version_one_row check (only_row),
  version    bigint      not null,
  changed_at timestamptz not null default date_trunc('milliseconds', clock_timestamp())
);
insert into change_version (version) values (1);

-- Running transactions that have changed the catalog or other cached data. If a change incremented the version at once, it would lock the
-- version until its transaction ends, and a revocation would wait for a long import. So a change only inserts a row here, without a wait.
-- COMMIT then increments the version.
create table change_marks (
  transaction xid8    primary key,
  -- The number that the changes of the transaction have in the tables below.
  change_id   bigint  not null generated always as identity,
  -- False for a transaction that only adds a tenant: its change has a number, but no process can have cached the tenant.
  of_cache    boolean not null default true
);

-- The processes of the API that cache data. Each process writes twice a second the version that it has seen, after it has dropped the data
-- of earlier versions. A command waits until all rows have the version of its change.
create table api_instances (
  id             uuid        primary key,
  seen_version   bigint      not null,
  -- The number of this process's writes. If it no longer grows, the cache of the process is no longer valid.
  poll           bigint      not null,
  -- For operators, and for the check of 0115. The waits of commands do not use it, because a clock may be set back.
  polled_at      timestamptz not null default clock_timestamp()
) with (fillfactor = 50);

-- The times of committed changes. A transaction that changes the catalog gets a number with its first change, and its COMMIT gives the
-- number a time. From this point until the commit ends, change_version is locked, so the times have the order of the commits.
create table catalog_commits (
  change_id bigint      primary key,
  at        timestamptz not null
);
create index catalog_commits_by_time on catalog_commits (at, change_id);
-- The change 0 is the creation of the schema. A tenant whose copy is older gets the whole catalog.
insert into catalog_commits values (0, date_trunc('milliseconds', clock_timestamp()));

-- The last change of each tour or its departures. Rows are only added and deleted, never updated, so that no writer waits for another.
create table tour_changes (
  tour_id   uuid   not null,
  change_id bigint not null,
  primary key (tour_id, change_id)
);
create index tour_changes_by_change on tour_changes (change_id, tour_id);

-- The last change of each tenant's rules, both visibility rules and price rules, by scope. The scope is the id of a tour, `in` with a
-- continent, or `default`, which means all tours.
create table tenant_changes (
  tenant_id uuid   not null,
  scope     text   collate "C" not null,
  change_id bigint not null,
  primary key (tenant_id, scope, change_id)
);
create index tenant_changes_by_change on tenant_changes (change_id, tenant_id, scope);

-- The periods in which each tour was published, with its continent. A transaction that changes a tour twice leaves an empty period.
create table tour_publications (
  tour_id      uuid   not null,
  continent    text   collate "C" not null,
  from_change  bigint not null,
  until_change bigint
);
create index tour_publications_by_tour on tour_publications (tour_id);
create index tour_publications_ended on tour_publications (until_change, tour_id) where until_change is not null;

-- The periods in which each visibility rule, and each tenant's default, showed or hid tours. The scope `usable` is visible while the API
-- serves the tenant.
create table visibility_periods (
  tenant_id    uuid    not null,
  scope        text    collate "C" not null,
  visible      boolean not null,
  from_change  bigint  not null,
  until_change bigint
);
create index visibility_periods_by_scope on visibility_periods (tenant_id, scope);
create index visibility_periods_ended on visibility_periods (until_change) where until_change is not null;

-- The periods whose changes a restore has lost: changes of the catalog after lost_after and until lost_until were not in the backup. A
-- tenant that asks for the changes since a time in such a period may have a copy of lost changes (ADR 33).
create table catalog_restores (
  lost_after timestamptz not null,
  lost_until timestamptz not null
);

-- The periods of tour_publications with their times, [from, until). Looks up each time separately: for a join, the planner may choose a
-- merge join, which reads all earlier commits.
create view tour_publication_times as
select p.tour_id, p.continent, tstzrange(f.at, case when p.until_change is not null then coalesce(u.at, f.at, '-infinity') end) as during
from tour_publications p
  cross join lateral (select (select k.at from catalog_commits k where k.change_id = p.from_change) as at offset 0) f
  cross join lateral (select (select k.at from catalog_commits k where k.change_id = p.until_change) as at offset 0) u;

-- The periods of visibility_periods with their times, like tour_publication_times.
create view visibility_times as
select v.tenant_id, v.scope, v.visible, tstzrange(f.at, case when v.until_change is not null then coalesce(u.at, f.at, '-infinity') end) as during
from visibility_periods v
  cross join lateral (select (select k.at from catalog_commits k where k.change_id = v.from_change) as at offset 0) f
  cross join lateral (select (select k.at from catalog_commits k where k.change_id = v.until_change) as at offset 0) u;

-- Inserts the transaction into change_marks, so that its COMMIT increments the version.
create function mark_change() returns trigger language plpgsql as $$
begin
  insert into change_marks (transaction) values (pg_current_xact_id())
  on conflict (transaction) do update set of_cache = true where not change_marks.of_cache;
  return null;
end $$;

-- Increments the version at COMMIT, and stores the time of the change. The times of two changes differ by at least two milliseconds, so
-- that a time between them exists: the `as_of` of a list.
create function raise_change_version() returns trigger language plpgsql as $$
declare
  cached boolean;
  commit_time timestamptz;
begin
  delete from change_marks where transaction = new.transaction returning of_cache into cached;
  update change_version
  set version = version + cached::integer,
    changed_at = greatest(date_trunc('milliseconds', clock_timestamp()), changed_at + interval '2 milliseconds')
  returning changed_at into commit_time;
  insert into catalog_commits (change_id, at) values (new.change_id, commit_time);
  return null;
end $$;
create constraint trigger change_marks_at_commit after insert on change_marks
  deferrable initially deferred for each row execute function raise_change_version();

-- Triggers call mark_change for every statement that changes cached data, so that no writer can forget the call. An insert of a tenant or
-- credential changes no cached data. The lists of columns contain every column of a credential except the times of its last use, which are
-- written in batches every half minute.
create trigger tenants_changed after update or delete or truncate on tenants
  for each statement execute function mark_change();
create trigger api_keys_changed
  after update of id, tenant_id, family_id, name, website, scopes, digest, digest_alg, created_at, expires_at, revoked_at, replaced_by
  or delete or truncate on api_keys
  for each statement execute function mark_change();
create trigger widget_tokens_changed
  after update of id, tenant_id, family_id, origins, digest, digest_alg, created_at, expires_at, revoked_at, replaced_by
  or delete or truncate on widget_tokens
  for each statement execute function mark_change();
create trigger visibility_tour_rules_changed after insert or update or delete or truncate on visibility_tour_rules
  for each statement execute function mark_change();
create trigger visibility_continent_rules_changed after insert or update or delete or truncate on visibility_continent_rules
  for each statement execute function mark_change();
create trigger price_rules_changed after insert or update or delete or truncate on price_rules
  for each statement execute function mark_change();
create trigger tours_changed after insert or update or delete or truncate on tours
  for each statement execute function mark_change();
create trigger departures_changed after insert or update or delete or truncate on departures
  for each statement execute function mark_change();

-- Returns the change_id of this transaction. Inserts a row into change_marks if the transaction has none.
create function current_change() returns bigint language plpgsql as $$
declare
  change bigint := (select change_id from change_marks where transaction = pg_current_xact_id());
begin
  if change is null then
    insert into change_marks (transaction, of_cache) values (pg_current_xact_id(), false) returning change_id into change;
  end if;
  return change;
end $$;

-- Replaces the rows of these tours in tour_changes. Leaves rows that another transaction has locked, because that transaction deletes them.
create function record_tour_changes(ids uuid[]) returns void language plpgsql as $$
declare
  change constant bigint := current_change();
begin
  insert into tour_changes (tour_id, change_id) select unnest(ids), change on conflict do nothing;
  delete from tour_changes where ctid = any(array(
    select c.ctid from tour_changes c where c.tour_id = any(ids) and c.change_id <> change for update skip locked));
end $$;

-- Records the tours whose departures a statement has changed.
create function record_departures() returns trigger language plpgsql as $$
declare
  ids uuid[];
begin
  if tg_op = 'INSERT' then ids := array(select distinct tour_id from new_rows);
  elsif tg_op = 'DELETE' then ids := array(select distinct tour_id from old_rows);
  else ids := array(select tour_id from new_rows union select tour_id from old_rows);
  end if;
  if ids <> '{}' then perform record_tour_changes(ids); end if;
  return null;
end $$;
create trigger departures_inserted_recorded after insert on departures
  referencing new table as new_rows for each statement execute function record_departures();
create trigger departures_updated_recorded after update on departures
  referencing new table as new_rows old table as old_rows for each statement execute function record_departures();
create trigger departures_deleted_recorded after delete on departures
  referencing old table as old_rows for each statement execute function record_departures();

-- Records the tours that a statement has changed, and begins and ends their publication.
create function record_tours() returns trigger language plpgsql as $$
declare
  changed uuid[];
  -- The tours whose publication begins or ends.
  moved uuid[];
  change bigint;
begin
  if tg_op = 'INSERT' then
    changed := array(select id from new_rows);
    moved := array(select id from new_rows where status = 'published');
  elsif tg_op = 'DELETE' then
    moved := array(select id from old_rows where status = 'published');
  else
    -- A revision alone grows with sales from the terminal.
    changed := array(select n.id from new_rows n join old_rows o on o.id = n.id
                     where n.updated_at <> o.updated_at or n.revision = o.revision);
    moved := array(select n.id from new_rows n join old_rows o on o.id = n.id
                   where (n.status, n.continent) is distinct from (o.status, o.continent));
  end if;
  if changed <> '{}' then perform record_tour_changes(changed); end if;
  if moved <> '{}' then
    change := current_change();
    update tour_publications set until_change = change where tour_id = any(moved) and until_change is null;
    insert into tour_publications (tour_id, continent, from_change)
    select id, continent, change from tours where id = any(moved) and status = 'published';
  end if;
  return null;
end $$;
create trigger tours_inserted_recorded after insert on tours
  referencing new table as new_rows for each statement execute function record_tours();
create trigger tours_updated_recorded after update on tours
  referencing new table as new_rows old table as old_rows for each statement execute function record_tours();
create trigger tours_deleted_recorded after delete on tours
  referencing old table as old_rows for each statement execute function record_tours();

-- Replaces the row of a scope in tenant_changes, like record_tour_changes.
create function record_tenant_change(of_tenant uuid, of_scope text) returns void language plpgsql as $$
declare
  change constant bigint := current_change();
begin
  insert into tenant_changes (tenant_id, scope, change_id) values (of_tenant, of_scope, change) on conflict do nothing;
  delete from tenant_changes where ctid = any(array(
    select c.ctid from tenant_changes c
    where c.tenant_id = of_tenant and c.scope = of_scope and c.change_id <> change for update skip locked));
end $$;

-- Ends the period of a rule, and begins the next one. now_visible null: there is no rule any more. The caller's statement has locked the
-- row of the rule, so that changes of one rule are made one after the other.
create function record_visibility(of_tenant uuid, of_scope text, now_visible boolean) returns void language plpgsql as $$
declare
  change constant bigint := current_change();
begin
  update visibility_periods set until_change = change where tenant_id = of_tenant and scope = of_scope and until_change is null;
  insert into visibility_periods (tenant_id, scope, visible, from_change)
  select of_tenant, of_scope, now_visible, change where now_visible is not null;
end $$;

-- Records a change of a tenant's default visibility, of its status, or of the settings on which its prices depend.
create function record_tenant() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or old.default_visible <> new.default_visible then
    perform record_visibility(new.id, 'default', new.default_visible);
  end if;
  if tg_op = 'INSERT' or old.status <> new.status then
    perform record_visibility(new.id, 'usable', new.status in ('trial', 'active'));
  end if;
  if tg_op = 'UPDATE' and (old.default_visible, old.currency, old.deposit_percent, old.payment_method)
      is distinct from (new.default_visible, new.currency, new.deposit_percent, new.payment_method) then
    perform record_tenant_change(new.id, 'default');
  end if;
  return null;
end $$;
create trigger tenants_recorded after insert or update on tenants for each row execute function record_tenant();

-- Records a change of a visibility rule of one tour.
create function record_tour_rule() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform record_tenant_change(old.tenant_id, old.tour_id::text);
    perform record_visibility(old.tenant_id, old.tour_id::text, null);
  -- The sort key of a rule follows its tour, which records that itself.
  elsif tg_op = 'INSERT' or old.visible <> new.visible then
    perform record_tenant_change(new.tenant_id, new.tour_id::text);
    perform record_visibility(new.tenant_id, new.tour_id::text, new.visible);
  end if;
  return null;
end $$;
create trigger visibility_tour_rules_recorded after insert or update or delete on visibility_tour_rules
  for each row execute function record_tour_rule();

-- Records a change of a visibility rule of a continent.
create function record_continent_rule() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform record_tenant_change(old.tenant_id, 'in ' || old.continent);
    perform record_visibility(old.tenant_id, 'in ' || old.continent, null);
  else
    perform record_tenant_change(new.tenant_id, 'in ' || new.continent);
    perform record_visibility(new.tenant_id, 'in ' || new.continent, new.visible);
  end if;
  return null;
end $$;
create trigger visibility_continent_rules_recorded after insert or update or delete on visibility_continent_rules
  for each row execute function record_continent_rule();

-- Records a change of a price rule, for the scope of the old rule and for that of the new one.
create function record_price_rule() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    perform record_tenant_change(new.tenant_id, coalesce(new.tour_id::text, 'in ' || new.continent, 'default'));
  end if;
  if tg_op <> 'INSERT' then
    perform record_tenant_change(old.tenant_id, coalesce(old.tour_id::text, 'in ' || old.continent, 'default'));
  end if;
  return null;
end $$;
create trigger price_rules_recorded after insert or update or delete on price_rules
  for each row execute function record_price_rule();
