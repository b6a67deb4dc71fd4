-- Rows of a month without a table are in the default partitions, because a queue that did not run for months created no tables. These
-- functions find such rows, so that their months are created and dropped like all others, and delete the expired ones in batches.
-- maintenance/history-retention.ts calls them.

-- Creates one table of a month. The caller commits after each table, so that it holds the lock of one table at a time: statements
-- lock the tables in different orders, so a caller with one lock that waits for the next one could deadlock with them.
create function webhook_make_month_of(parent text, month date) returns boolean
  language plpgsql as $$
declare
  begins timestamptz := date_trunc('month', month)::timestamp at time zone 'UTC';
  ends timestamptz := (date_trunc('month', month) + interval '1 month')::timestamp at time zone 'UTC';
  part text := parent || to_char(month, '"_"YYYY"_"MM');
  key text := case parent when 'webhook_attempts' then 'delivery_id' when 'webhook_pulse' then 'at' else 'id' end;
  low text := case key when 'at' then begins::text else webhook_first_id(begins)::text end;
  high text := case key when 'at' then ends::text else webhook_first_id(ends)::text end;
begin
  if to_regclass(part) is not null then
    return false;
  end if;
  if begins <= clock_timestamp() then
    execute format('lock table %I in access exclusive mode', parent);
  end if;
  execute format('create table %I (like %I including all)', part, parent);
  execute format('with moved as (delete from %1$I where %2$I >= %3$L and %2$I < %4$L returning *) insert into %5$I select * from moved',
    parent || '_default', key, low, high, part);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part, low, high);
  return true;
end $$;

create or replace function webhook_make_month(month date) returns boolean
  language plpgsql as $$
declare
  made boolean := false;
  parent text;
begin
  foreach parent in array array['webhook_events', 'webhook_deliveries', 'webhook_attempts', 'webhook_pulse'] loop
    made := webhook_make_month_of(parent, month) or made;
  end loop;
  return made;
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

-- Deletes rows from before that time: at most at_most rows of the first table that has any. Deletes deliveries first, with their queue
-- rows, because a queued delivery needs its event. A later statement reads the queue, so that it sees a replay for which the first
-- statement waited. given_up counts deliveries that were still waiting.
create function webhook_expire_stranded(before timestamptz, at_most integer, out deleted integer, out given_up integer)
  language plpgsql as $$
declare
  first_kept uuid := webhook_first_id(before);
  ids uuid[];
  part text;
  key text;
begin
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

-- Drops the existing tables of a month. They are created one by one, so an interruption may leave only some of them.
create or replace function webhook_drop_month(month date) returns integer
  language plpgsql as $$
declare
  suffix text := to_char(month, '"_"YYYY"_"MM');
  ends timestamptz := (date_trunc('month', month) + interval '1 month')::timestamp at time zone 'UTC';
  given_up integer := 0;
  parent text;
begin
  if to_regclass('webhook_deliveries' || suffix) is not null then
    execute format($q$select count(*) from %I where status in ('pending', 'retrying')$q$, 'webhook_deliveries' || suffix)
      into given_up;
  end if;
  foreach parent in array array['webhook_attempts', 'webhook_deliveries', 'webhook_events', 'webhook_pulse'] loop
    execute format('drop table if exists %I', parent || suffix);
  end loop;
  -- After the drops, whose locks keep a replay from queueing one of them again in between.
  delete from webhook_queue where delivery_id < webhook_first_id(ends);
  return given_up;
end $$;
