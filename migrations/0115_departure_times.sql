-- Start times: a tour may have several departures on one date, told apart by the local time at which they begin.

-- The departure's own local start time, HH:MM. Null: the tour's start_time; if that is null too, the departure has none.
alter table departures add column start_time text
  constraint departures_start_time_is_a_time check (start_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$');

-- The time that the refused request named, or that of the departure. Null: none, or not known.
alter table sale_refusals add column departure_time text;

-- Returns the local time from which on a departure is past: its start, or without a start time the end of its date.
-- @param start_time of the departure, else of its tour
create function departure_past_from(departure_date date, start_time text) returns timestamp
  language sql immutable
  return departure_date + coalesce(
    make_interval(hours => left(start_time, 2)::integer, mins => right(start_time, 2)::integer), interval '1 day');

-- Returns the first instant at which clocks show the local time. PostgreSQL alone returns the last one of a time that comes twice. Clocks
-- go back by half an hour, an hour or two. For a time that clocks skip, returns the instant that the skipped hour would have had.
create function first_instant(local_time timestamp, time_zone text) returns timestamptz
  language sql immutable
  return (
    select coalesce(min(earlier) filter (where earlier at time zone time_zone = local_time), max(earlier))
    from unnest(array[0, 30, 60, 120]) as minutes
      cross join lateral (select (local_time at time zone time_zone) - make_interval(mins => minutes)) as candidate (earlier));

-- Returns true if the departure is past at the instant `at`: it has started, or without a start time its date has ended in the tour's time
-- zone. Computes the exact start only for the dates on which it can matter: clocks that go back over midnight repeat the end of a date.
-- @param start_time of the departure, else of its tour
create function departure_is_past(departure_date date, start_time text, time_zone text, at timestamptz) returns boolean
  language sql immutable
  return departure_date < tour_today(time_zone, at)
    or (start_time is not null and departure_date <= tour_today(time_zone, at) + 1
        and first_instant(departure_past_from(departure_date, start_time), time_zone) <= at);

-- Returns true if the departure can be booked at the instant `at`, without regard to its seats. The function of this name in 0105 does not
-- know start times; processes of the release before call it.
create function departure_is_open(
    status text, departure_date date, start_time text, closes_at timestamptz, time_zone text, at timestamptz) returns boolean
  language sql immutable
  return status = 'scheduled' and (closes_at is null or closes_at > at)
    and not departure_is_past(departure_date, start_time, time_zone, at);

-- Returns the first instant at which departure_is_open is false for a departure that is not cancelled.
create function departure_closes_at(departure_date date, start_time text, closes_at timestamptz, time_zone text) returns timestamptz
  language sql immutable
  return least(closes_at, first_instant(departure_past_from(departure_date, start_time), time_zone));

-- The next departures of these tours were computed without start times.
insert into next_departures_due (tour_id) select id from tours where start_time is not null;

-- True for a process that knows start times. Processes of the release before do not write the column. While one of them lives, a second
-- departure of a date is refused, because that process would sell either of the two.
alter table api_instances add column knows_start_times boolean not null default false;

-- Checks that requests can tell the departures of a date apart: if it has several, each has a start time of its own or of the tour, and no
-- two are equal. Locks the tours, so that two transactions that add departures to one date run one after the other.
create function refuse_equal_start_times(tour_ids uuid[], dates date[]) returns void language plpgsql as $$
declare
  several record;
begin
  perform from tours t where t.id = any (tour_ids) order by t.id for no key update;
  select t.slug, n.departure_date, count(*) > count(distinct coalesce(d.start_time, t.start_time)) as unclear
    into several
    from (select distinct w.tour_id, w.departure_date from unnest(tour_ids, dates) as w (tour_id, departure_date)) n
      join tours t on t.id = n.tour_id
      join departures d on d.tour_id = n.tour_id and d.departure_date = n.departure_date
    group by n.tour_id, n.departure_date, t.slug
    having count(*) > 1
    order by unclear desc, t.slug, n.departure_date
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

create function check_inserted_start_times() returns trigger language plpgsql as $$
begin
  perform refuse_equal_start_times(array_agg(tour_id), array_agg(departure_date)) from new_rows;
  return null;
end $$;
create trigger departures_inserted_start_times after insert on departures
  referencing new table as new_rows for each statement execute function check_inserted_start_times();

create function check_updated_start_time() returns trigger language plpgsql as $$
begin
  perform refuse_equal_start_times(array[new.tour_id], array[new.departure_date]);
  return null;
end $$;
create trigger departures_updated_start_time after update of tour_id, departure_date, start_time on departures
  for each row when ((old.tour_id, old.departure_date, old.start_time) is distinct from (new.tour_id, new.departure_date, new.start_time))
  execute function check_updated_start_time();

-- The tour's time is that of its departures without their own.
create function check_tour_start_time() returns trigger language plpgsql as $$
begin
  perform refuse_equal_start_times(array_agg(tour_id), array_agg(departure_date)) from departures where tour_id = new.id;
  return null;
end $$;
create trigger tours_updated_start_time after update of start_time on tours
  for each row when (old.start_time is distinct from new.start_time) execute function check_tour_start_time();

-- The body for one endpoint, as in 0111: in the format `thin`, events of departures name the start time too.
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
