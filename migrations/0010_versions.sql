-- What processes of the API remember is good for one version of what they read. Whatever changes a credential, a tenant, a
-- visibility or pricing rule, or the catalog raises it, in the same transaction; holds and bookings never do.
create table change_version (
  only_row boolean primary key default true constraint change_version_one_row check (only_row),
  version  bigint  not null
);
insert into change_version (version) values (1);

-- Transactions that have changed something and are not over. A version raised on the spot would be locked until the end of
-- the transaction, and a revocation would wait for a long import; so the change leaves a mark here, which waits for nobody,
-- and COMMIT raises the version.
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

-- Of statements, so that no writer can forget. A new tenant or credential changes nothing that anybody remembers. Every column
-- of a credential stands here but the times of its last use, which are written for many every half minute.
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

-- Processes of the API that remember. Each writes, twice a second, which version it has obeyed: what it remembered from
-- before is gone. Who changes something waits for these rows (platform/change-lease/await-instances.ts).
create table api_instances (
  id             uuid        primary key,
  seen_version   bigint      not null,
  -- Counts the writes of this process: a row whose number stands still is of a process that remembers nothing any more.
  poll           bigint      not null,
  -- For people. Nothing is decided by it: a clock may step.
  polled_at      timestamptz not null default clock_timestamp()
) with (fillfactor = 50);

-- The first instant at which departure_is_open is false of a departure that is not cancelled. Where clocks go back over
-- midnight there are two midnights, and PostgreSQL names the later one.
create function departure_closes_at(departure_date date, closes_at timestamptz, time_zone text) returns timestamptz
  language sql immutable
  return least(closes_at, (
    select case when tour_today(time_zone, midnight - interval '1 hour') > departure_date then midnight - interval '1 hour'
                else midnight end
    from (select ((departure_date + 1)::timestamp at time zone time_zone) as midnight) as next_day));
