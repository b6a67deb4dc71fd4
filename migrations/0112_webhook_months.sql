-- The months of the webhook history. The webhook queue calls these functions. It creates months ahead, and drops months that
-- are older than the retention. If a month has no table, because the queue did not run for months, it finds the rows of the month in the
-- default partitions.
-- The owner has the tables of the months. So the functions that the queue may call run with the rights of the owner (at the end of this
-- file), and check their arguments. They name the table of a month with its schema. Without the schema, they could find a temporary view
-- that the caller has made, and functions in this view would run as the owner.

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

-- Creates one table of any month; returns true if it created the table. Creates a separate table and attaches it, because `create table …
-- partition of` would block every booking. For a month that has begun, locks the parent table, because the rows of the month move from the
-- default partition, and must not be seen while they move. Only the owner may call this function: a restore needs the months of its file.
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

-- Creates the tables of a month; returns true if it created one.
create function webhook_make_month(month date) returns boolean language plpgsql as $$
declare
  made boolean := false;
  parent text;
begin
  foreach parent in array array['webhook_events', 'webhook_deliveries', 'webhook_attempts', 'webhook_pulse'] loop
    made := webhook_attach_month(parent, month) or made;
  end loop;
  return made;
end $$;

-- Creates one table of a month that the queue may create: the current month, the two after it, and earlier months that have rows in the
-- default partition. The caller commits after each table, so that it holds the lock of only one table at a time. Other statements lock the
-- tables in other orders: a caller that waits for a second lock could deadlock with them.
create function webhook_make_month_of(parent text, month date) returns boolean language plpgsql as $$
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

-- Returns the months of the rows in the default partitions, with the number of rows by month and table. Counts up to at_most + 1.
create function webhook_stranded_months(at_most integer) returns table (month date, stranded bigint)
  language plpgsql as $$
declare
  parent text;
  key text;
  low text;
  high text;
  begins timestamptz;
begin
  foreach parent in array array['webhook_events', 'webhook_deliveries', 'webhook_attempts', 'webhook_pulse'] loop
    key := case parent when 'webhook_attempts' then 'delivery_id' when 'webhook_pulse' then 'at' else 'id' end;
    low := case key when 'at' then '-infinity' else '00000000-0000-0000-0000-000000000000' end;
    loop
      execute format('select %1$I::text from %2$I where %1$I >= %3$L order by %1$I limit 1', key, parent || '_default', low) into low;
      exit when low is null;
      -- The first 48 bits of an id are its milliseconds since 1970.
      begins := case key when 'at' then low::timestamptz
        else to_timestamp(('x' || translate(left(low, 13), '-', ''))::bit(48)::bigint / 1000.0) end;
      month := date_trunc('month', begins at time zone 'UTC')::date;
      begins := (month + interval '1 month') at time zone 'UTC';
      high := case key when 'at' then begins::text else webhook_first_id(begins)::text end;
      execute format('select count(*) from (select from %1$I where %2$I >= %3$L and %2$I < %4$L limit %5$s) r',
        parent || '_default', key, low, high, at_most + 1) into stranded;
      return next;
      low := high;
    end loop;
  end loop;
end $$;

-- Returns the time before which history may be deleted: the start of the month to which yesterday belongs. A day is the shortest retention
-- that the queue can have. The database does not know the actual retention, because it is a setting of the queue.
create function webhook_kept_from() returns timestamptz language sql
  return date_trunc('month', (clock_timestamp() - interval '1 day') at time zone 'UTC') at time zone 'UTC';

-- Drops the existing tables of a month and its queue rows. Returns the number of deliveries that were still waiting. The tables are created
-- one by one, so an interruption may leave only some of them. Refuses a month before 1970: an id has no such time, so webhook_first_id
-- would return an id above all others. Also, to_char() gives a year before Christ the same name as a year after Christ.
create function webhook_drop_month(month date) returns integer language plpgsql as $$
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

-- Deletes rows from before the time `before`: at most at_most rows of the first table that has any. Deletes deliveries first, with their
-- queue rows, because a queued delivery needs its event. A later statement reads the queue, so that it sees a replay for which the first
-- statement waited. given_up counts deliveries that were still waiting.
create function webhook_expire_stranded(before timestamptz, at_most integer, out deleted integer, out given_up integer)
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

-- Returns the age of the oldest open snapshot in seconds. A role sees the transactions of its own sessions only; the owner sees those of
-- all roles where it has pg_read_all_stats (docs/run-many.md).
create function webhook_snapshot_age() returns float8 language sql stable as $$
  select coalesce(max(extract(epoch from now() - xact_start)), 0)::float8 from pg_stat_activity
  where backend_xmin is not null and pid <> pg_backend_pid()
$$;

-- `create or replace function` resets these settings, so a migration that replaces one of the functions must set them again.
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

select webhook_make_month((date_trunc('month', now() at time zone 'UTC') + make_interval(months => n))::date)
from generate_series(0, 2) as n;
