-- Changes that a tenant's copy of the catalog must learn of (ADR 28). Rows are only added or deleted, never locked for long, so that
-- no writer waits for another. A newer row replaces older ones that say nothing more.
create table tour_changes (
  id         bigint      generated always as identity primary key,
  tour_id    uuid        not null,
  changed_at timestamptz not null
);
create index tour_changes_by_tour on tour_changes (tour_id, changed_at);
create index tour_changes_by_time on tour_changes (changed_at, tour_id);

-- Changes of one tenant's rules: for a tour, for a continent, or for all tours.
create table tenant_changes (
  id            bigint      generated always as identity primary key,
  tenant_id     uuid        not null,
  tour_id       uuid,
  continent     text        collate "C",
  changed_at    timestamptz not null,
  of_visibility boolean     not null
);
create index tenant_changes_by_tour on tenant_changes (tenant_id, tour_id, changed_at);
create index tenant_changes_by_time on tenant_changes (tenant_id, changed_at);

-- The time of a change that this transaction makes. Before it reads the clock, it takes a shared lock whose second key is the
-- second in which the transaction began. Readers find the oldest transaction that may still commit a change in pg_locks.
create function catalog_change_time() returns timestamptz language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(20280028, floor(extract(epoch from transaction_timestamp()))::integer);
  return clock_timestamp();
end $$;

create function record_tour_changes() returns trigger language plpgsql as $$
declare
  at constant timestamptz := catalog_change_time();
  ids uuid[];
begin
  if tg_table_name = 'tours' and tg_op = 'INSERT' then ids := array(select id from new_rows);
  elsif tg_table_name = 'tours' then
    -- A revision alone grows with sales from the terminal.
    ids := array(select o.id from old_rows o join new_rows n on n.id = o.id
                 where n.updated_at <> o.updated_at or n.revision = o.revision);
  elsif tg_op = 'INSERT' then ids := array(select distinct tour_id from new_rows);
  elsif tg_op = 'DELETE' then ids := array(select distinct tour_id from old_rows);
  else ids := array(select tour_id from new_rows union select tour_id from old_rows);
  end if;
  insert into tour_changes (tour_id, changed_at) select unnest(ids), at;
  delete from tour_changes where id in (
    select c.id from tour_changes c where c.tour_id = any(ids) and c.changed_at < at for update skip locked);
  return null;
end $$;
create trigger tours_inserted_changes after insert on tours
  referencing new table as new_rows for each statement execute function record_tour_changes();
create trigger tours_updated_changes after update on tours
  referencing new table as new_rows old table as old_rows for each statement execute function record_tour_changes();
create trigger departures_inserted_changes after insert on departures
  referencing new table as new_rows for each statement execute function record_tour_changes();
create trigger departures_updated_changes after update on departures
  referencing new table as new_rows old table as old_rows for each statement execute function record_tour_changes();
create trigger departures_deleted_changes after delete on departures
  referencing old table as old_rows for each statement execute function record_tour_changes();

create function record_tenant_change(of_tenant uuid, of_tour uuid, of_continent text, visibility boolean)
  returns void language plpgsql as $$
declare
  at constant timestamptz := catalog_change_time();
begin
  delete from tenant_changes where id in (
    select c.id from tenant_changes c
    where c.tenant_id = of_tenant and c.tour_id is not distinct from of_tour and c.continent is not distinct from of_continent
      and c.of_visibility = visibility
    for update skip locked);
  insert into tenant_changes (tenant_id, tour_id, continent, changed_at, of_visibility)
  values (of_tenant, of_tour, of_continent, at, visibility);
end $$;

create function record_rule_change() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'tenants' then
    if old.default_visible <> new.default_visible then perform record_tenant_change(old.id, null, null, true); end if;
    if (old.currency, old.deposit_percent, old.payment_method) is distinct from (new.currency, new.deposit_percent, new.payment_method) then
      perform record_tenant_change(old.id, null, null, false);
    end if;
  elsif tg_table_name = 'price_rules' then
    if tg_op <> 'DELETE' then perform record_tenant_change(new.tenant_id, new.tour_id, new.continent, false); end if;
    if tg_op <> 'INSERT' then perform record_tenant_change(old.tenant_id, old.tour_id, old.continent, false); end if;
  elsif tg_table_name = 'visibility_continent_rules' then
    if tg_op <> 'DELETE' then perform record_tenant_change(new.tenant_id, null, new.continent, true);
    else perform record_tenant_change(old.tenant_id, null, old.continent, true);
    end if;
  elsif tg_op = 'DELETE' then perform record_tenant_change(old.tenant_id, old.tour_id, null, true);
  -- The sort key of a rule follows its tour, which records that itself.
  elsif tg_op = 'INSERT' or old.visible <> new.visible then
    perform record_tenant_change(new.tenant_id, new.tour_id, null, true);
  end if;
  return null;
end $$;
create trigger tenants_recorded after update on tenants for each row execute function record_rule_change();
create trigger price_rules_recorded after insert or update or delete on price_rules for each row execute function record_rule_change();
create trigger visibility_tour_rules_recorded after insert or update or delete on visibility_tour_rules
  for each row execute function record_rule_change();
create trigger visibility_continent_rules_recorded after insert or update or delete on visibility_continent_rules
  for each row execute function record_rule_change();

-- When each tour was published, and in which continent; when each rule of visibility, or a tenant's default, said what. A tour that a
-- tenant never saw must not be named to it, so both are exact: a transaction records them at its end, under a lock that it holds for its
-- COMMIT only, with one time for all. So the times are in the order of the commits.
create table tour_publications (
  id        bigint      generated always as identity primary key,
  tour_id   uuid        not null,
  continent text        collate "C" not null,
  from_at   timestamptz not null,
  until_at  timestamptz not null default 'infinity'
);
create index tour_publications_by_tour on tour_publications (tour_id, until_at);
create index tour_publications_ended on tour_publications (until_at, tour_id) where until_at < 'infinity';

create table visibility_periods (
  id        bigint      generated always as identity primary key,
  tenant_id uuid        not null,
  -- Of a tour's rule, its id; of a continent's, `in` and its name; `default`.
  scope     text        collate "C" not null,
  visible   boolean     not null,
  from_at   timestamptz not null,
  until_at  timestamptz not null default 'infinity'
);
create index visibility_periods_by_scope on visibility_periods (tenant_id, scope, until_at);

create function visibility_change_time() returns timestamptz language plpgsql as $$
declare
  at text := current_setting('catalog.visibility_change_time', true);
begin
  if coalesce(at, '') = '' then
    perform pg_advisory_xact_lock(20280029);
    at := clock_timestamp()::text;
    perform set_config('catalog.visibility_change_time', at, true);
  end if;
  return at::timestamptz;
end $$;

create function record_publication() returns trigger language plpgsql as $$
declare
  tour constant uuid := case when tg_op = 'DELETE' then old.id else new.id end;
  at constant timestamptz := visibility_change_time();
  published_in constant text := (select t.continent from tours t where t.id = tour and t.status = 'published');
begin
  update tour_publications set until_at = at
  where tour_id = tour and until_at = 'infinity' and continent is distinct from published_in;
  insert into tour_publications (tour_id, continent, from_at)
  select tour, published_in, at
  where published_in is not null
    and not exists (select from tour_publications where tour_id = tour and until_at = 'infinity');
  return null;
end $$;
create constraint trigger tours_published_recorded after insert on tours deferrable initially deferred
  for each row when (new.status = 'published') execute function record_publication();
create constraint trigger tours_moved_recorded after update on tours deferrable initially deferred
  for each row when ((old.status, old.continent) is distinct from (new.status, new.continent)) execute function record_publication();
create constraint trigger tours_deleted_recorded after delete on tours deferrable initially deferred
  for each row execute function record_publication();

create function record_visibility(of_tenant uuid, of_scope text, now_visible boolean) returns void language plpgsql as $$
declare
  at constant timestamptz := visibility_change_time();
begin
  update visibility_periods set until_at = at
  where tenant_id = of_tenant and scope = of_scope and until_at = 'infinity' and visible is distinct from now_visible;
  insert into visibility_periods (tenant_id, scope, visible, from_at)
  select of_tenant, of_scope, now_visible, at
  where now_visible is not null
    and not exists (select from visibility_periods where tenant_id = of_tenant and scope = of_scope and until_at = 'infinity');
end $$;

create function record_visibility_change() returns trigger language plpgsql as $$
declare
  tenant uuid;
begin
  if tg_table_name = 'tenants' then
    perform record_visibility(new.id, 'default', (select n.default_visible from tenants n where n.id = new.id));
  elsif tg_table_name = 'visibility_tour_rules' then
    tenant := case when tg_op = 'DELETE' then old.tenant_id else new.tenant_id end;
    perform record_visibility(tenant, r.id::text,
      (select v.visible from visibility_tour_rules v where v.tenant_id = tenant and v.tour_id = r.id))
    from (select case when tg_op = 'DELETE' then old.tour_id else new.tour_id end as id) r;
  else
    tenant := case when tg_op = 'DELETE' then old.tenant_id else new.tenant_id end;
    perform record_visibility(tenant, 'in ' || r.continent,
      (select v.visible from visibility_continent_rules v where v.tenant_id = tenant and v.continent = r.continent))
    from (select case when tg_op = 'DELETE' then old.continent else new.continent end as continent) r;
  end if;
  return null;
end $$;
create constraint trigger tenants_default_period_set after insert on tenants deferrable initially deferred
  for each row execute function record_visibility_change();
create constraint trigger tenants_default_period_changed after update on tenants deferrable initially deferred
  for each row when (old.default_visible <> new.default_visible) execute function record_visibility_change();
create constraint trigger visibility_tour_rules_period_set after insert or delete on visibility_tour_rules
  deferrable initially deferred for each row execute function record_visibility_change();
create constraint trigger visibility_tour_rules_period_changed after update on visibility_tour_rules
  deferrable initially deferred for each row when (old.visible <> new.visible) execute function record_visibility_change();
create constraint trigger visibility_continent_rules_period_set after insert or delete on visibility_continent_rules
  deferrable initially deferred for each row execute function record_visibility_change();
create constraint trigger visibility_continent_rules_period_changed after update on visibility_continent_rules
  deferrable initially deferred for each row when (old.visible <> new.visible) execute function record_visibility_change();

-- After the triggers, so that no change is missed. What there is counts from the beginning.
insert into tour_changes (tour_id, changed_at)
select t.id, greatest(t.updated_at, (select max(d.updated_at) from departures d where d.tour_id = t.id)) from tours t;
insert into tour_publications (tour_id, continent, from_at) select id, continent, '-infinity' from tours where status = 'published';
insert into visibility_periods (tenant_id, scope, visible, from_at)
select id, 'default', default_visible, timestamptz '-infinity' from tenants
union all select tenant_id, tour_id::text, visible, '-infinity' from visibility_tour_rules
union all select tenant_id, 'in ' || continent, visible, '-infinity' from visibility_continent_rules;

-- Returns true if the tenant could see the tour at any instant from `since` on, by the rules of that instant.
create function tour_was_visible(of_tenant uuid, of_tour uuid, since timestamptz) returns boolean
  language sql stable
  return exists (
    select
    from (
      select since as at
      union select p.from_at from tour_publications p where p.tour_id = of_tour and p.from_at > since
      union
      select bound.at
      from visibility_periods v cross join lateral (values (v.from_at), (v.until_at)) bound (at)
      where v.tenant_id = of_tenant and v.until_at > since and bound.at > since
        and (v.scope in ('default', of_tour::text)
             or v.scope in (select 'in ' || p.continent from tour_publications p where p.tour_id = of_tour))
    ) instant
      join tour_publications p on p.tour_id = of_tour and p.from_at <= instant.at and p.until_at > instant.at
    where coalesce(
      (select v.visible from visibility_periods v
       where v.tenant_id = of_tenant and v.scope = of_tour::text and v.from_at <= instant.at and v.until_at > instant.at),
      (select v.visible from visibility_periods v
       where v.tenant_id = of_tenant and v.scope = 'in ' || p.continent and v.from_at <= instant.at and v.until_at > instant.at),
      (select v.visible from visibility_periods v
       where v.tenant_id = of_tenant and v.scope = 'default' and v.from_at <= instant.at and v.until_at > instant.at)));
-- For the tours that are not published any more, in the order of a page.
create index tours_by_any_name on tours (name_folded, id);
