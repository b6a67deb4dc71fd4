-- Narrows what the logins of the API and the queue may do (ADR 35), and lets the database check the scheme of stored addresses.

-- Returns the key column of a table of the history, and the range of a month in it.
create function webhook_month_range(parent text, month date, out key text, out low text, out high text) language plpgsql as $$
declare
  begins timestamptz := date_trunc('month', month)::timestamp at time zone 'UTC';
  ends timestamptz := (date_trunc('month', month) + interval '1 month')::timestamp at time zone 'UTC';
begin
  key := case parent when 'webhook_attempts' then 'delivery_id' when 'webhook_pulse' then 'at' else 'id' end;
  low := case key when 'at' then begins::text else webhook_first_id(begins)::text end;
  high := case key when 'at' then ends::text else webhook_first_id(ends)::text end;
end $$;

-- Creates the table of any month. Only the owner may: a restore needs the months of its file.
create function webhook_attach_month(parent text, month date) returns boolean language plpgsql as $$
declare
  part text := format('%I.%I', current_schema(), parent || to_char(month, '"_"YYYY"_"MM'));
  span record;
begin
  if to_regclass(part) is not null then
    return false;
  end if;
  select * into span from webhook_month_range(parent, month);
  if date_trunc('month', month)::timestamp at time zone 'UTC' <= clock_timestamp() then
    execute format('lock table %I in access exclusive mode', parent);
  end if;
  execute format('create table %s (like %I including all)', part, parent);
  execute format('with moved as (delete from %1$I where %2$I >= %3$L and %2$I < %4$L returning *) insert into %5$s select * from moved',
    parent || '_default', span.key, span.low, span.high, part);
  execute format('alter table %I attach partition %s for values from (%L) to (%L)', parent, part, span.low, span.high);
  return true;
end $$;

create or replace function webhook_make_month(month date) returns boolean language plpgsql as $$
declare
  made boolean := false;
  parent text;
begin
  foreach parent in array array['webhook_events', 'webhook_deliveries', 'webhook_attempts', 'webhook_pulse'] loop
    made := webhook_attach_month(parent, month) or made;
  end loop;
  return made;
end $$;

-- The months that the queue may make: the current one, the two after it, and earlier ones that have rows in the default partition.
create or replace function webhook_make_month_of(parent text, month date) returns boolean language plpgsql as $$
declare
  this_month date := date_trunc('month', clock_timestamp() at time zone 'UTC')::date;
  span record;
  has_rows boolean;
begin
  if parent not in ('webhook_events', 'webhook_deliveries', 'webhook_attempts', 'webhook_pulse') then
    raise exception '% has no months', parent;
  end if;
  if month < '1970-01-01' or month >= this_month + interval '3 months' then
    raise exception 'the month of % cannot be made: it is more than two months ahead, or before 1970', month;
  end if;
  if month < this_month then
    select * into span from webhook_month_range(parent, month);
    execute format('select exists (select from %1$I where %2$I >= %3$L and %2$I < %4$L)', parent || '_default', span.key, span.low, span.high)
      into has_rows;
    if not has_rows then
      return false;
    end if;
  end if;
  return webhook_attach_month(parent, month);
end $$;

-- Returns the time before which any history may be deleted. A day is the shortest retention that the queue can have. No function can know
-- the real one, because it is a setting of the queue.
create function webhook_kept_from() returns timestamptz language sql
  return date_trunc('month', (clock_timestamp() - interval '1 day') at time zone 'UTC') at time zone 'UTC';

-- The rest of the two functions is as in 0013 and 0032. Ids have no time before 1970: one would be above all ids. And a month before
-- Christ has the name of another month.
create or replace function webhook_drop_month(month date) returns integer language plpgsql as $$
declare
  suffix text := to_char(month, '"_"YYYY"_"MM');
  ends timestamptz := (date_trunc('month', month) + interval '1 month')::timestamp at time zone 'UTC';
  deliveries text := format('%I.%I', current_schema(), 'webhook_deliveries' || suffix);
  given_up integer := 0;
  parent text;
begin
  if month < '1970-01-01' or ends > webhook_kept_from() then
    raise exception 'the month of % cannot be dropped: it ended less than a day ago, or before 1970', month;
  end if;
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

create or replace function webhook_expire_stranded(before timestamptz, at_most integer, out deleted integer, out given_up integer)
  language plpgsql as $$
declare
  first_kept uuid := webhook_first_id(before);
  ids uuid[];
  part text;
  key text;
begin
  if before < '1970-01-01 00:00Z' or before > webhook_kept_from() then
    raise exception 'the history before % cannot be deleted: it is younger than a day, or before 1970', before;
  end if;
  with old as (
    delete from webhook_deliveries_default where id in (
      select id from webhook_deliveries_default where id < first_kept order by id limit at_most
    ) returning id, status
  )
  select array_agg(id), count(*), count(*) filter (where status in ('pending', 'retrying')) into ids, deleted, given_up from old;
  if deleted > 0 then
    delete from webhook_queue where delivery_id = any (ids);
    return;
  end if;
  foreach part in array array['webhook_attempts_default', 'webhook_events_default', 'webhook_pulse_default'] loop
    key := case part when 'webhook_attempts_default' then 'delivery_id' when 'webhook_pulse_default' then 'at' else 'id' end;
    execute format('delete from %1$I where ctid = any (array(select ctid from %1$I where %2$I < %3$L limit %4$s))',
      part, key, case key when 'at' then before::text else first_kept::text end, at_most);
    get diagnostics deleted = row_count;
    exit when deleted > 0;
  end loop;
end $$;

-- A function that is replaced loses these settings, which 0032 gave it.
do $$
declare
  signature text;
begin
  foreach signature in array array['webhook_make_month_of(text, date)', 'webhook_drop_month(date)',
    'webhook_expire_stranded(timestamptz, integer)']
  loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', signature, current_schema());
  end loop;
end $$;

-- Only the owner stores check values: the terminal, when it uses a secret to write what depends on it.
update database_rights set rights = 'select' where object = 'secret_checks';

-- Also takes the right to create temporary tables from every login but the owner, where the caller owns the database.
create or replace function grant_database_roles() returns void language plpgsql as $$
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

select grant_database_roles();

-- Returns the pictures of a list whose address is https or a path of this service. Browsers take //host and /\host for other hosts.
create function images_with_safe_addresses(images jsonb) returns jsonb
  language sql immutable
  return jsonb_path_query_array(images, 'strict $[*] ? (@.url like_regex "^(https://|/($|[^/\\\\]))")');

-- Removes addresses with another scheme. No answer had them, because its readers refuse them too. A statement that changes no row would
-- still count as a change of the catalog.
do $$
begin
  if exists (select from tenants
             where brand_logo !~ '^https://' or link_template !~ '^(https://|http://localhost:[0-9]+/)') then
    update tenants set
      brand_logo = case when brand_logo ~ '^https://' then brand_logo end,
      link_template = case when link_template ~ '^(https://|http://localhost:[0-9]+/)' then link_template end
    where brand_logo !~ '^https://' or link_template !~ '^(https://|http://localhost:[0-9]+/)';
  end if;
  if exists (select from tours
             where image_url !~ '^(https://|/($|[^/\\]))' or images <> images_with_safe_addresses(images)) then
    update tours set
      image_url = case when image_url ~ '^(https://|/($|[^/\\]))' then image_url end,
      images = images_with_safe_addresses(images)
    where image_url !~ '^(https://|/($|[^/\\]))' or images <> images_with_safe_addresses(images);
  end if;
end $$;

-- The schemes of stored addresses, as their readers accept them (platform/text-forms.ts, tenants/link-template.ts). 0035 validates the
-- constraints without the locks of this migration.
alter table tenants
  add constraint tenants_brand_logo_scheme check (brand_logo ~ '^https://') not valid,
  add constraint tenants_link_template_scheme check (link_template ~ '^(https://|http://localhost:[0-9]+/)') not valid;
alter table tours
  add constraint tours_image_url_scheme check (image_url ~ '^(https://|/($|[^/\\]))') not valid,
  add constraint tours_images_schemes check (images_with_safe_addresses(images) = images) not valid;
