-- The version of the data that processes of the API cache. Each change of a credential, a tenant, a visibility or price rule, or the
-- catalog increments it in the same transaction. Holds and bookings never do.
create table change_version (
  only_row boolean primary key default true constraint change_version_one_row check (only_row),
  version  bigint  not null
);
insert into change_version (version) values (1);

-- Running transactions that have changed cached data. An immediate increment would lock the version until the end of the
-- transaction, and a revocation would wait for a long import. So the change inserts a mark here, without a wait, and COMMIT
-- increments the version.
create table change_marks (transaction xid8 primary key);

create function mark_change() returns trigger language plpgsql as $$
begin
  insert into change_marks values (pg_current_xact_id()) on conflict do nothing;
  return null;
end $$;

create function raise_change_version() returns trigger language plpgsql as $$
begin
  delete from change_marks where transaction = new.transaction;
  update change_version set version = version + 1;
  return null;
end $$;

create constraint trigger change_marks_at_commit after insert on change_marks
  deferrable initially deferred for each row execute function raise_change_version();

-- Triggers mark every statement, so that no writer can forget it. An insert of a tenant or credential changes no cached data. The
-- lists have every column of a credential except the times of its last use, which are written in batches every half minute.
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

-- The processes of the API that cache data. Each writes, twice a second, the version that it has seen; it has then dropped the cache
-- of earlier versions. A command waits until the rows have its version (platform/read-cache/await-instances.ts).
create table api_instances (
  id             uuid        primary key,
  seen_version   bigint      not null,
  -- Number of this process's writes. If it no longer grows, the validity of the process's cache has ended.
  poll           bigint      not null,
  -- For people. No decision reads it, because a clock may step.
  polled_at      timestamptz not null default clock_timestamp()
) with (fillfactor = 50);

-- Returns the first instant at which departure_is_open is false for a departure that is not cancelled. Where clocks go back over
-- midnight there are two midnights, and PostgreSQL returns the later one.
create function departure_closes_at(departure_date date, closes_at timestamptz, time_zone text) returns timestamptz
  language sql immutable
  return least(closes_at, (
    select case when tour_today(time_zone, midnight - interval '1 hour') > departure_date then midnight - interval '1 hour'
                else midnight end
    from (select ((departure_date + 1)::timestamp at time zone time_zone) as midnight) as next_day));
