-- Changes that a tenant's copy of the catalog must learn of (ADR 28). Rows are only added or deleted, never locked for long, so that
-- no writer waits for another. A newer row replaces older ones that say nothing more.
create table tour_changes (
  id           bigint      generated always as identity primary key,
  tour_id      uuid        not null,
  changed_at   timestamptz not null,
  -- The continent in which the tour was published before it was unpublished or moved; null for every other change.
  published_in text        collate "C"
);
create index tour_changes_by_tour on tour_changes (tour_id, changed_at);
create index tour_changes_by_time on tour_changes (changed_at, tour_id);
create index tour_changes_unpublished on tour_changes (changed_at, tour_id) where published_in is not null;
insert into tour_changes (tour_id, changed_at)
select t.id, greatest(t.updated_at, (select max(d.updated_at) from departures d where d.tour_id = t.id)) from tours t;

-- Changes of one tenant's rules: for a tour, for a continent, or for all tours.
create table tenant_changes (
  id             bigint      generated always as identity primary key,
  tenant_id      uuid        not null,
  tour_id        uuid,
  continent      text        collate "C",
  changed_at     timestamptz not null,
  of_visibility  boolean     not null,
  -- What the rule said before, or the tenant's default; null if there was no rule.
  visible_before boolean
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
  if tg_table_name = 'tours' and tg_op = 'UPDATE' then
    -- A revision alone grows with sales from the terminal.
    with added as (
      insert into tour_changes (tour_id, changed_at, published_in)
      select o.id, at, case when o.status = 'published' and (n.status <> 'published' or n.continent <> o.continent) then o.continent end
      from old_rows o join new_rows n on n.id = o.id
      where n.updated_at <> o.updated_at or n.revision = o.revision
      returning *)
    delete from tour_changes where id in (
      select c.id from added a join tour_changes c on c.tour_id = a.tour_id and c.changed_at <= a.changed_at
        and (c.published_in is null or c.published_in = a.published_in)
      for update of c skip locked);
    return null;
  end if;
  if tg_table_name = 'tours' then ids := array(select id from new_rows);
  elsif tg_op = 'INSERT' then ids := array(select distinct tour_id from new_rows);
  elsif tg_op = 'DELETE' then ids := array(select distinct tour_id from old_rows);
  else ids := array(select tour_id from new_rows union select tour_id from old_rows);
  end if;
  insert into tour_changes (tour_id, changed_at) select unnest(ids), at;
  delete from tour_changes where id in (
    select c.id from tour_changes c where c.tour_id = any(ids) and c.published_in is null and c.changed_at < at
    for update skip locked);
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

create function record_tenant_change(of_tenant uuid, of_tour uuid, of_continent text, visibility boolean, before boolean)
  returns void language plpgsql as $$
declare
  at constant timestamptz := catalog_change_time();
begin
  delete from tenant_changes where id in (
    select c.id from tenant_changes c
    where c.tenant_id = of_tenant and c.tour_id is not distinct from of_tour and c.continent is not distinct from of_continent
      and c.of_visibility = visibility and c.visible_before is not distinct from before
    for update skip locked);
  insert into tenant_changes (tenant_id, tour_id, continent, changed_at, of_visibility, visible_before)
  values (of_tenant, of_tour, of_continent, at, visibility, before);
end $$;

create function record_rule_change() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'tenants' then
    if old.default_visible <> new.default_visible then
      perform record_tenant_change(old.id, null, null, true, old.default_visible);
    end if;
    if (old.currency, old.deposit_percent, old.payment_method) is distinct from (new.currency, new.deposit_percent, new.payment_method) then
      perform record_tenant_change(old.id, null, null, false, null);
    end if;
  elsif tg_table_name = 'price_rules' then
    if tg_op <> 'DELETE' then perform record_tenant_change(new.tenant_id, new.tour_id, new.continent, false, null); end if;
    if tg_op <> 'INSERT' then perform record_tenant_change(old.tenant_id, old.tour_id, old.continent, false, null); end if;
  elsif tg_table_name = 'visibility_continent_rules' then
    if tg_op <> 'DELETE' then
      perform record_tenant_change(new.tenant_id, null, new.continent, true, case when tg_op = 'UPDATE' then old.visible end);
    else
      perform record_tenant_change(old.tenant_id, null, old.continent, true, old.visible);
    end if;
  elsif tg_op = 'DELETE' then
    perform record_tenant_change(old.tenant_id, old.tour_id, null, true, old.visible);
  elsif tg_op = 'INSERT' then
    perform record_tenant_change(new.tenant_id, new.tour_id, null, true, null);
  -- The sort key of a rule follows its tour, which records that itself.
  elsif old.visible <> new.visible then
    perform record_tenant_change(new.tenant_id, new.tour_id, null, true, old.visible);
  end if;
  return null;
end $$;
create trigger tenants_recorded after update on tenants for each row execute function record_rule_change();
create trigger price_rules_recorded after insert or update or delete on price_rules for each row execute function record_rule_change();
create trigger visibility_tour_rules_recorded after insert or update or delete on visibility_tour_rules
  for each row execute function record_rule_change();
create trigger visibility_continent_rules_recorded after insert or update or delete on visibility_continent_rules
  for each row execute function record_rule_change();

-- Whether the tenant may have seen the tour at some time since: true for every combination of its rules since then that shows it.
-- The rules of two transactions may have held together for a while in neither order of their times.
create function tour_was_visible(of_tenant uuid, of_tour uuid, since timestamptz) returns boolean
  language sql stable
  return exists (
      select from visibility_tour_rules r where r.tenant_id = of_tenant and r.tour_id = of_tour and r.visible)
    or exists (
      select from tenant_changes c
      where c.tenant_id = of_tenant and c.tour_id = of_tour and c.changed_at >= since and c.of_visibility and c.visible_before)
    or (
      (not exists (select from visibility_tour_rules r where r.tenant_id = of_tenant and r.tour_id = of_tour)
       or exists (
         select from tenant_changes c
         where c.tenant_id = of_tenant and c.tour_id = of_tour and c.changed_at >= since and c.of_visibility
           and c.visible_before is null))
      and exists (
        select from (
          select t.continent from tours t where t.id = of_tour and t.status = 'published'
          union
          select c.published_in from tour_changes c
          where c.tour_id = of_tour and c.changed_at >= since and c.published_in is not null) published (continent)
        where exists (
            select from visibility_continent_rules r
            where r.tenant_id = of_tenant and r.continent = published.continent and r.visible)
          or exists (
            select from tenant_changes c
            where c.tenant_id = of_tenant and c.continent = published.continent and c.changed_at >= since and c.of_visibility
              and c.visible_before)
          or (
            (not exists (
               select from visibility_continent_rules r
               where r.tenant_id = of_tenant and r.continent = published.continent)
             or exists (
               select from tenant_changes c
               where c.tenant_id = of_tenant and c.continent = published.continent and c.changed_at >= since
                 and c.of_visibility and c.visible_before is null))
            and (
              exists (select from tenants n where n.id = of_tenant and n.default_visible)
              or exists (
                select from tenant_changes c
                where c.tenant_id = of_tenant and c.tour_id is null and c.continent is null and c.changed_at >= since
                  and c.of_visibility and c.visible_before)))));
