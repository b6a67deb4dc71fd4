-- Resources: what departures use and what cannot be in two places, such as boats and guides (ADR 76). A process of the release before sells
-- without a look at them. The trigger below refuses what it oversells, so the update is rolling.
create extension if not exists btree_gist;

-- A boat, bus, guide or room that departures use, and that cannot be in two places.
create table resources (
  id         uuid        primary key default gen_random_uuid(),
  code       text        not null unique constraint resources_code_form check (code ~ '^[a-z0-9](-?[a-z0-9])*$' and char_length(code) <= 64),
  name       text        not null constraint resources_name_length check (char_length(name) between 1 and 200),
  kind       text        not null default 'vehicle'
             constraint resources_kind_known check (kind in ('vehicle', 'guide', 'place', 'equipment')),
  -- The most seats that one unit carries. Null: its seats are not counted.
  places     integer     constraint resources_places_range check (places between 1 and 100000),
  -- How many alike there are.
  units      integer     not null default 1 constraint resources_units_range check (units between 1 and 1000),
  -- The minutes of elapsed time between two trips.
  turnaround integer     not null default 0 constraint resources_turnaround_range check (turnaround between 0 and 525600),
  time_zone  text        not null default 'UTC'
             constraint resources_time_zone_known check ((timestamptz '2000-01-01 00:00Z' at time zone time_zone) is not null),
  -- For a guide.
  phone      text        constraint resources_phone_length check (char_length(phone) between 1 and 100),
  email      text        constraint resources_email_length check (char_length(email) between 1 and 254),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);

-- The times in which units of a resource are closed.
create table resource_closings (
  id          bigint      generated always as identity primary key,
  resource_id uuid        not null references resources (id) on delete cascade,
  during      tstzrange   not null constraint resource_closings_bounded check (
                not isempty(during) and not lower_inf(during) and not upper_inf(during) and lower_inc(during) and not upper_inc(during)),
  -- Null: all units.
  units       integer     constraint resource_closings_units_range check (units between 1 and 1000),
  reason      text        not null constraint resource_closings_reason_length check (char_length(reason) between 1 and 200),
  created_at  timestamptz not null default clock_timestamp(),
  -- The operator.
  created_by  text        not null
);
create index resource_closings_by_time on resource_closings using gist (resource_id, during);

-- Returns true for 0 to 4 uses of different resources: [{"resource": "boat", "shared": true, "minutes": 180, "before": "30m", "after": "1h"}].
create function valid_uses(uses jsonb) returns boolean
  language sql immutable
  return jsonb_typeof(uses) = 'array'
    and jsonb_array_length(uses) <= 4
    and not exists (
      select from jsonb_array_elements(uses) as used (item)
      where jsonb_typeof(used.item) <> 'object'
        or jsonb_typeof(used.item -> 'resource') is distinct from 'string'
        or jsonb_typeof(coalesce(used.item -> 'shared', 'false')) <> 'boolean'
        or coalesce(used.item ->> 'minutes', '1') !~ '^[1-9][0-9]{0,5}$'
        or not is_cutoff(coalesce(used.item ->> 'before', '0m'))
        or not is_cutoff(coalesce(used.item ->> 'after', '0m')))
    and (select count(distinct used.item ->> 'resource') = jsonb_array_length(uses) from jsonb_array_elements(uses) as used (item));

-- The resources that the departures of the tour use. Null: none.
alter table tours add column uses jsonb constraint tours_uses_valid check (valid_uses(uses));
-- The departure's own list. []: none. Null: that of its tour.
alter table departures add column uses jsonb constraint departures_uses_valid check (valid_uses(uses));

-- The uses of each departure with their time, derived from departures, tours and resources by the triggers below. It has no sale: what is
-- sold is counted from live holds and standing leads (resource_loads).
create table departure_uses (
  departure_id uuid      not null references departures (id) on delete cascade,
  resource_id  uuid      not null references resources (id) on delete cascade,
  -- The departures of a resource with the same text are one trip: for a shared use its start in UTC, otherwise the id of the departure.
  trip         text      collate "C" not null,
  -- From the start less `before` to the end plus `after`, without the turnaround.
  during       tstzrange not null,
  primary key (departure_id, resource_id)
);
create index departure_uses_by_time on departure_uses using gist (resource_id, during);

-- Returns the minutes of a duration such as 90m, 36h or 3d. Null: 0.
create function minutes_of(duration text) returns integer
  language sql immutable
  return coalesce(left(duration, -1)::integer * case right(duration, 1) when 'd' then 1440 when 'h' then 60 else 1 end, 0);

-- Returns the start of a departure: its start time or, without one, 00:00 of its date.
create function departure_starts_at(departure_date date, start_time text, time_zone text) returns timestamptz
  language sql immutable
  return instant_before_start(departure_date, start_time, '0m', time_zone);

-- Returns the instant at which the departure has left the resource: `minutes` after its start. Without them, or without a start time, the
-- first instant after its last day.
create function departure_ends_at(departure_date date, start_time text, return_date date, duration_days integer, minutes integer, time_zone text)
  returns timestamptz
  language sql immutable
  return case when minutes is not null and start_time is not null
    then departure_starts_at(departure_date, start_time, time_zone) + make_interval(mins => minutes)
    else instant_of((coalesce(return_date, departure_date + duration_days - 1) + 1)::timestamp, time_zone) end;

-- Writes departure_uses of the departures again.
create function derive_departure_uses(departure_ids uuid[]) returns void language plpgsql as $$
begin
  with used as materialized (
    select d.id as departure_id, r.id as resource_id,
      case when (item.value ->> 'shared')::boolean
        then to_char(span.starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') else d.id::text end as trip,
      tstzrange(
        span.starts_at - make_interval(mins => minutes_of(item.value ->> 'before')),
        span.ends_at + make_interval(mins => minutes_of(item.value ->> 'after'))) as during
    from departures d
      join tours t on t.id = d.tour_id
      cross join lateral jsonb_array_elements(coalesce(d.uses, t.uses)) as item
      join resources r on r.code = item.value ->> 'resource'
      cross join lateral (
        select departure_starts_at(d.departure_date, coalesce(d.start_time, t.start_time), t.time_zone) as starts_at,
          departure_ends_at(d.departure_date, coalesce(d.start_time, t.start_time), d.return_date, t.duration_days,
            (item.value ->> 'minutes')::integer, t.time_zone) as ends_at) as span
    where d.id = any (departure_ids)
  ), left_out as (
    delete from departure_uses u
    where u.departure_id = any (departure_ids)
      and not exists (select from used where used.departure_id = u.departure_id and used.resource_id = u.resource_id)
  )
  insert into departure_uses as u (departure_id, resource_id, trip, during)
  select used.departure_id, used.resource_id, used.trip, used.during from used
  on conflict (departure_id, resource_id) do update set trip = excluded.trip, during = excluded.during
    where (u.trip, u.during) is distinct from (excluded.trip, excluded.during);
end $$;
revoke execute on function derive_departure_uses(uuid[]) from public;

create function derive_uses_of_new() returns trigger language plpgsql as $$
declare
  departure_ids uuid[] := array(select n.id from new_rows n join tours t on t.id = n.tour_id where coalesce(n.uses, t.uses) is not null);
begin
  if cardinality(departure_ids) > 0 then
    perform derive_departure_uses(departure_ids);
  end if;
  return null;
end $$;
create trigger departures_inserted_uses after insert on departures
  referencing new table as new_rows for each statement execute function derive_uses_of_new();

create function derive_uses_of_changed() returns trigger language plpgsql as $$
begin
  perform derive_departure_uses(case tg_table_name when 'departures' then array[new.id]
    else array(select d.id from departures d where d.tour_id = new.id and coalesce(d.uses, new.uses, old.uses) is not null) end);
  return null;
end $$;
create trigger departures_updated_uses after update of tour_id, departure_date, return_date, start_time, uses on departures
  for each row when ((old.tour_id, old.departure_date, old.return_date, old.start_time, old.uses)
    is distinct from (new.tour_id, new.departure_date, new.return_date, new.start_time, new.uses))
  execute function derive_uses_of_changed();
create trigger tours_updated_uses after update of start_time, time_zone, duration_days, uses on tours
  for each row when ((old.start_time, old.time_zone, old.duration_days, old.uses)
    is distinct from (new.start_time, new.time_zone, new.duration_days, new.uses))
  execute function derive_uses_of_changed();

-- Returns one row for each resource that the departure uses. A trip exists while one of its departures has a live hold or a standing lead,
-- and covers these departures and the one asked for. Counts real sales, or those of the sandbox.
-- seats: the seats that are sold on the trip. others: the most other trips at one instant of the trip, with the turnaround after each.
-- absent: the same with the closed units.
-- @rule no boat, bus or guide is sold twice: test/resources/race-for-resources.long.test.ts
create function resource_loads(departure uuid, of_sandbox boolean, at timestamptz)
  returns table (resource_id uuid, places integer, units integer, seats integer, others integer, absent integer)
  language sql stable rows 2
begin atomic
  select r.id, r.places, r.units, trip.seats, load.others, load.absent
  from departure_uses mine
    join resources r on r.id = mine.resource_id
    cross join lateral (select make_interval(mins => r.turnaround) as turnaround) as pause
    -- The trip with the departure. Departures of one trip start at the same instant, so their times overlap.
    cross join lateral (
      select min(lower(u.during)) as from_at, max(upper(u.during)) + pause.turnaround as to_at,
        coalesce(sum(sold.taken) filter (where d.status = 'scheduled'), 0)::integer as seats
      from departure_uses u join departures d on d.id = u.departure_id
        cross join lateral count_seats(u.departure_id, of_sandbox, at) as sold
      where u.resource_id = mine.resource_id and u.during && mine.during and u.trip = mine.trip
        and (u.departure_id = mine.departure_id or d.status = 'scheduled' and sold.taken > 0)
    ) as trip
    cross join lateral (
      with other as materialized (
        select u.trip, lower(u.during) as from_at, upper(u.during) + pause.turnaround as to_at
        from departure_uses u join departures d on d.id = u.departure_id
          cross join lateral count_seats(u.departure_id, of_sandbox, at) as sold
        where u.resource_id = mine.resource_id and u.during && tstzrange(trip.from_at - pause.turnaround, trip.to_at)
          and u.trip <> mine.trip and d.status = 'scheduled' and sold.taken > 0
      ), closing as materialized (
        select lower(c.during) as from_at, upper(c.during) as to_at, coalesce(c.units, r.units) as units
        from resource_closings c where c.resource_id = mine.resource_id and c.during && tstzrange(trip.from_at, trip.to_at)
      ), instant as (
        -- The number of trips and of closed units is the highest at the start of one of them.
        select trip.from_at as at
        union select other.from_at from other where other.from_at > trip.from_at
        union select closing.from_at from closing where closing.from_at > trip.from_at
      )
      select max(counted.trips)::integer as others, max(counted.trips + counted.closed)::integer as absent
      from instant cross join lateral (
        select (select count(distinct other.trip) from other where other.from_at <= instant.at and other.to_at > instant.at) as trips,
          (select coalesce(sum(closing.units), 0) from closing where closing.from_at <= instant.at and closing.to_at > instant.at) as closed
      ) as counted
    ) as load
  where mine.departure_id = departure;
end;

-- Returns the seats that the resources of a departure leave for more sales, as a table of one row. Null: they limit none. A negative number:
-- more are sold than a unit carries.
create function count_seats_of_resources(departure uuid, of_sandbox boolean, at timestamptz) returns table (leaves integer)
  language sql stable rows 1
begin atomic
  select min(case when load.absent >= load.units then least(0, load.places - load.seats) else load.places - load.seats end)
  from resource_loads(departure, of_sandbox, at) as load;
end;

-- Refuses a write, from any code path, after which a resource has more trips at one instant than units, or a trip has more seats than
-- places. Trips that have ended do not count. Closed units count as present, because a live hold still converts. Locks the resources, as refuse_oversold_departures locks the
-- departures; for a caller that holds the locks, this costs nothing.
create function refuse_oversold_resources(departure_ids uuid[], of_sandbox boolean) returns void language plpgsql as $$
declare
  oversold text;
  now_counted timestamptz;
begin
  perform from resources r
    where r.id in (select u.resource_id from departure_uses u where u.departure_id = any (departure_ids))
    order by r.id for no key update;
  now_counted := clock_timestamp();
  select format('%s of departure %s', r.code, d.id) into oversold
    from departures d cross join lateral count_seats(d.id, of_sandbox, now_counted) as sold
      cross join lateral resource_loads(d.id, of_sandbox, now_counted) as load
      join resources r on r.id = load.resource_id
      join departure_uses u on u.departure_id = d.id and u.resource_id = load.resource_id
    where d.id = any (departure_ids) and d.status = 'scheduled' and sold.taken > 0 and upper(u.during) > now_counted
      and (load.others >= load.units or load.seats > load.places)
    limit 1;
  if found then
    raise exception 'resource % would be oversold', oversold
      using errcode = 'check_violation', constraint = 'resources_never_oversold';
  end if;
end $$;

-- Counts the seats of the written departures again, as in 0161_statuses.sql, and the trips of their resources. An update that takes no more
-- seats than before changes no trip: a change of a phone number waits for no resource.
create or replace function recount_written_departures() returns trigger language plpgsql as $$
declare
  grown uuid[] := array(select distinct w.departure_id from written w
                        where not w.sandbox and w.departure_id is not null
                          and (hold_takes_seats(w.status) or lead_takes_seats(w.status)));
  grown_sandbox uuid[] := array(select distinct w.departure_id from written w
                                where w.sandbox and w.departure_id is not null
                                  and (hold_takes_seats(w.status) or lead_takes_seats(w.status)));
begin
  if exists (select from written w join tenants t on t.id = w.tenant_id where t.sandbox <> w.sandbox) then
    raise exception 'a sandbox tenant has sandbox rows only, and another tenant has none'
      using errcode = 'check_violation', constraint = 'sales_are_of_their_tenants_kind';
  end if;
  if cardinality(grown) > 0 then
    perform refuse_oversold_departures(grown, false);
    if exists (select from departure_uses u where u.departure_id = any (grown)) then
      if tg_op = 'UPDATE' then
        grown := array(select distinct w.departure_id from written w join before b on b.id = w.id
                       where w.departure_id = any (grown) and (w.departure_id is distinct from b.departure_id or w.seats > b.seats
                         or not (hold_takes_seats(b.status) or lead_takes_seats(b.status))));
      end if;
      perform refuse_oversold_resources(grown, false);
    end if;
  end if;
  if tg_op = 'INSERT' and cardinality(grown_sandbox) > 0 then
    perform refuse_oversold_departures(grown_sandbox, true);
    if exists (select from departure_uses u where u.departure_id = any (grown_sandbox)) then
      perform refuse_oversold_resources(grown_sandbox, true);
    end if;
  end if;
  return null;
end $$;
drop trigger seat_holds_updated on seat_holds;
create trigger seat_holds_updated after update on seat_holds
  referencing new table as written old table as before for each statement execute function recount_written_departures();
drop trigger booking_leads_updated on booking_leads;
create trigger booking_leads_updated after update on booking_leads
  referencing new table as written old table as before for each statement execute function recount_written_departures();

-- Counts the real trips again, before COMMIT, when departures use other resources, use them at another time or take place again, and when a
-- resource gets fewer places or units, or a longer turnaround. A file may change several of them, so only its end counts.
create function recount_used_resources() returns trigger language plpgsql as $$
begin
  perform refuse_oversold_resources(case tg_table_name
    when 'departures' then array[new.id]
    when 'tours' then array(select d.id from departures d where d.tour_id = new.id)
    else array(select u.departure_id from departure_uses u where u.resource_id = new.id and upper(u.during) > clock_timestamp()) end, false);
  return null;
end $$;
create constraint trigger departures_recount_uses after update on departures deferrable initially deferred
  for each row when (new.status = 'scheduled'
    and (old.tour_id, old.departure_date, old.return_date, old.start_time, old.uses, old.status)
      is distinct from (new.tour_id, new.departure_date, new.return_date, new.start_time, new.uses, new.status))
  execute function recount_used_resources();
create constraint trigger tours_recount_uses after update on tours deferrable initially deferred
  for each row when ((old.start_time, old.time_zone, old.duration_days, old.uses)
    is distinct from (new.start_time, new.time_zone, new.duration_days, new.uses))
  execute function recount_used_resources();
create constraint trigger resources_recount after update on resources deferrable initially deferred
  for each row when (new.units < old.units or new.turnaround > old.turnaround or new.places is not null and coalesce(new.places < old.places, true))
  execute function recount_used_resources();

-- To lock a resource, the API needs the right to update one of its columns.
insert into database_rights (object, role, rights)
values
  ('resources', 'tour_platform_api', 'select, update (created_at)'),
  ('resources', 'tour_platform_queue', ''),
  ('resource_closings', 'tour_platform_api', 'select'),
  ('resource_closings', 'tour_platform_queue', ''),
  ('departure_uses', 'tour_platform_api', 'select'),
  ('departure_uses', 'tour_platform_queue', '');
select grant_database_roles();

insert into rolling_migrations values ('0168_resources');
