-- Start times: a tour may have several departures on one date, told apart by the local time at which they begin.

-- The departure's own local start time, HH:MM. Null: the tour's start_time applies; if that is also null, the departure has no start time.
alter table departures add column start_time text
  constraint departures_start_time_is_a_time check (start_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$');

-- The start time of the departure, or the start time that the refused request named. Null: there is no start time, or it is unknown.
alter table sale_refusals add column departure_time text;

-- Returns the local time at which a departure becomes past: its start time or, without a start time, the end of its date.
-- @param start_time the departure's own, or else the tour's
create function departure_past_from(departure_date date, start_time text) returns timestamp
  language sql immutable
  return departure_date + coalesce(
    make_interval(hours => left(start_time, 2)::integer, mins => right(start_time, 2)::integer), interval '1 day');

-- Returns the first instant at which clocks show the local time. If clocks show a time twice, AT TIME ZONE returns the second instant. So
-- this function also tries the instants 30, 60 and 120 minutes earlier, because clocks go back by one of these differences. If clocks skip
-- a time, the function returns the same instant as AT TIME ZONE.
create function first_instant(local_time timestamp, time_zone text) returns timestamptz
  language sql immutable
  return (
    select coalesce(min(earlier) filter (where earlier at time zone time_zone = local_time), max(earlier))
    from unnest(array[0, 30, 60, 120]) as minutes
      cross join lateral (select (local_time at time zone time_zone) - make_interval(mins => minutes)) as candidate (earlier));

-- Returns true if the departure is past at the instant `at`: it has started or, without a start time, its date has ended in the tour's time
-- zone. Computes the exact start only for dates up to tomorrow, because clocks that go back over midnight repeat the end of a date.
-- @param start_time the departure's own, or else the tour's
create function departure_is_past(departure_date date, start_time text, time_zone text, at timestamptz) returns boolean
  language sql immutable
  return departure_date < tour_today(time_zone, at)
    or (start_time is not null and departure_date <= tour_today(time_zone, at) + 1
        and first_instant(departure_past_from(departure_date, start_time), time_zone) <= at);

-- Returns true if the departure can be booked at the instant `at`. Does not check whether it has free seats. A function of the same name in
-- 0105 does not know start times; processes of the previous release call that function.
create function departure_is_open(
    status text, departure_date date, start_time text, closes_at timestamptz, time_zone text, at timestamptz) returns boolean
  language sql immutable
  return status = 'scheduled' and (closes_at is null or closes_at > at)
    and not departure_is_past(departure_date, start_time, time_zone, at);

-- Returns the first instant at which departure_is_open is false for a departure that is not cancelled.
create function departure_closes_at(departure_date date, start_time text, closes_at timestamptz, time_zone text) returns timestamptz
  language sql immutable
  return least(closes_at, case
    -- If clocks did not change in the two hours before, the time comes once. PostgreSQL copies this expression into the statement, but calls
    -- first_instant for each row, which took half of the time of a list of 366 departures. It does not copy a subtraction from a
    -- timestamptz, so the two hours are subtracted in UTC.
    when (departure_past_from(departure_date, start_time) at time zone time_zone at time zone 'UTC' - interval '2 hours')
        at time zone 'UTC' at time zone time_zone
      = departure_past_from(departure_date, start_time) - interval '2 hours'
    then departure_past_from(departure_date, start_time) at time zone time_zone
    else first_instant(departure_past_from(departure_date, start_time), time_zone) end);

-- Computes the next departures of these tours again, because they were computed without start times.
insert into next_departures_due (tour_id) select id from tours where start_time is not null;

-- True for a process that knows start times. Processes of the previous release do not write the column. While such a process runs, a second
-- departure on one date is refused, because the process could sell the wrong one of the two.
alter table api_instances add column knows_start_times boolean not null default false;

-- Refuses departures on one date that requests cannot tell apart. If a date has several departures, each must have a start time, its own or
-- the tour's, and all start times must differ. Locks the tours, so that transactions that add departures to one tour run one after the
-- other. Looks up each tour separately, because an import inserts 20,000 departures in one statement, and a join would read the whole
-- table.
-- @param first_dates, last_dates the dates to check of each tour, inclusive
create function refuse_equal_start_times(tour_ids uuid[], first_dates date[], last_dates date[]) returns void language plpgsql as $$
declare
  several record;
begin
  perform from tours t where t.id = any (tour_ids) order by t.id for no key update;
  select t.slug, dated.departure_date, dated.unclear
    into several
    from unnest(tour_ids, first_dates, last_dates) as w (tour_id, first_date, last_date)
      join tours t on t.id = w.tour_id
      cross join lateral (
        select d.departure_date, count(*) > count(distinct coalesce(d.start_time, t.start_time)) as unclear
        from departures d
        where d.tour_id = t.id and d.departure_date between w.first_date and w.last_date
        group by d.departure_date
        having count(*) > 1) as dated
    order by dated.unclear desc, t.slug, dated.departure_date
    limit 1;
  if several.unclear then
    raise exception 'the departures of % on % need a start time each, and no two the same', several.slug, several.departure_date
      using errcode = 'unique_violation', constraint = 'departures_told_apart';
  end if;
  if several.slug is not null and exists (
      select from api_instances where not knows_start_times and polled_at > clock_timestamp() - interval '1 minute') then
    raise exception 'an instance of an earlier release runs, which knows one departure a day'
      using errcode = 'object_not_in_prerequisite_state', constraint = 'departures_one_a_day_during_update';
  end if;
end $$;

-- Checks the dates of the departures that a statement has inserted.
create function check_inserted_start_times() returns trigger language plpgsql as $$
begin
  perform refuse_equal_start_times(array_agg(tour_id), array_agg(first_date), array_agg(last_date))
  from (
    select tour_id, min(departure_date) as first_date, max(departure_date) as last_date from new_rows group by tour_id) as inserted;
  return null;
end $$;
create trigger departures_inserted_start_times after insert on departures
  referencing new table as new_rows for each statement execute function check_inserted_start_times();

-- Checks the date of a departure whose tour, date or start time has changed.
create function check_updated_start_time() returns trigger language plpgsql as $$
begin
  perform refuse_equal_start_times(array[new.tour_id], array[new.departure_date], array[new.departure_date]);
  return null;
end $$;
create trigger departures_updated_start_time after update of tour_id, departure_date, start_time on departures
  for each row when ((old.tour_id, old.departure_date, old.start_time) is distinct from (new.tour_id, new.departure_date, new.start_time))
  execute function check_updated_start_time();

-- When a tour's start time changes, checks all dates of the tour, because its start time applies to all departures that have none.
create function check_tour_start_time() returns trigger language plpgsql as $$
begin
  perform refuse_equal_start_times(array[new.id], array['-infinity'::date], array['infinity'::date]);
  return null;
end $$;
create trigger tours_updated_start_time after update of start_time on tours
  for each row when (old.start_time is distinct from new.start_time) execute function check_tour_start_time();

-- Returns the body for one endpoint, like the function of 0111. In the format `thin`, events of departures also name the start time.
create or replace function webhook_body(format text, type text, at timestamptz, body text) returns text
  language sql immutable
  return case when format <> 'spec' then
    '{"type":' || to_json(type) || ',"timestamp":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":' ||
    case format when 'standard' then body else (
      select '{' || coalesce(string_agg(to_json(k.name) || ':' || (body::json -> k.name), ',' order by k.place), '') || '}'
      from unnest(case when type like 'departure.%' then array['tour', 'departure_date', 'departure_time', 'booking_refs']
                       else array['booking_ref', 'lead_id', 'hold_id', 'endpoint'] end) with ordinality as k (name, place)
      where body::json -> k.name is not null
    ) end || '}'
  end;
