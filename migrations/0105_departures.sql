-- Departures: the travel dates of tours, and the next open departure of each tour.

-- Returns true for valid prices by category, in minor units: {"adult": 129000, "child": 99000, "single_supplement": 20000}. Only adult is
-- required.
create function valid_prices_minor(prices jsonb) returns boolean
  language sql immutable
  return jsonb_typeof(prices) = 'object'
    and jsonb_exists(prices, 'adult')
    and not exists (
      select from jsonb_each(prices) as category (name, amount)
      where category.name not in ('adult', 'child', 'single_supplement')
        or jsonb_typeof(category.amount) <> 'number'
        or category.amount::text !~ '^[0-9]{1,13}$'
    );

-- The departures of tours. The number of taken seats is never stored: count_seats (0108) counts the seats.
create table departures (
  id             uuid        primary key default gen_random_uuid(),
  tour_id        uuid        not null references tours (id) on delete restrict,
  departure_date date        not null,
  return_date    date,
  seats_total    integer     not null constraint departures_seats_range check (seats_total between 1 and 100000),
  prices_minor   jsonb       not null constraint departures_prices_valid check (valid_prices_minor(prices_minor)),
  status         text        not null default 'scheduled'
                 constraint departures_status_known check (status in ('scheduled', 'cancelled')),
  closes_at      timestamptz,
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  -- The time at which the departure was last cancelled or reopened. It also counts as a change of its bookings, whose rows are not written
  -- (updated_since). Null: no such change is known.
  status_changed_at timestamptz,
  constraint departures_one_per_tour_and_date unique (tour_id, departure_date),
  constraint departures_return_not_before check (return_date >= departure_date)
);
create index departures_by_date on departures (departure_date, tour_id) where status = 'scheduled';
create index departures_by_status_change on departures (status_changed_at, id) where status_changed_at is not null;

-- Writes status_changed_at whenever any statement cancels or reopens the departure.
create function stamp_departure_status() returns trigger language plpgsql as
  'begin new.status_changed_at := clock_timestamp(); return new; end';
create trigger departures_status_stamped before update on departures
  for each row when (new.status <> old.status) execute function stamp_departure_status();

-- Record the changes of departures in tour_edits (0103).
create trigger departures_inserted after insert on departures
  referencing new table as new_rows for each statement execute function note_tour_edits();
create trigger departures_updated after update on departures
  referencing new table as new_rows old table as old_rows for each statement execute function note_tour_edits();
create trigger departures_deleted after delete on departures
  referencing old table as old_rows for each statement execute function note_tour_edits();
create trigger departures_truncated after truncate on departures
  for each statement execute function note_every_tour_edited();

-- PostgreSQL puts the expressions of the next functions into the queries that call them, because each is one immutable expression. So the
-- planner sees the columns, and can use their indexes.

-- Returns the date at the instant `at`, in the tour's time zone.
create function tour_today(time_zone text, at timestamptz) returns date
  language sql immutable
  return (at at time zone time_zone)::date;

-- Returns true if the departure can be booked at the instant `at`, whether or not it has free seats. The API derives the
-- reason why a departure cannot be booked.
create function departure_is_open(status text, departure_date date, closes_at timestamptz, time_zone text, at timestamptz)
  returns boolean
  language sql immutable
  return status = 'scheduled' and departure_date >= tour_today(time_zone, at) and (closes_at is null or closes_at > at);

-- Returns the first instant at which departure_is_open is false for a departure that is not cancelled. If clocks go back over midnight,
-- there are two midnights, and PostgreSQL returns the later one; this function then returns the earlier one.
create function departure_closes_at(departure_date date, closes_at timestamptz, time_zone text) returns timestamptz
  language sql immutable
  return least(closes_at, (
    select case when tour_today(time_zone, midnight - interval '1 hour') > departure_date then midnight - interval '1 hour'
                else midnight end
    from (select ((departure_date + 1)::timestamp at time zone time_zone) as midnight) as next_day));

-- Returns the sort key of a tour in the order of next departures: the date, the folded name and the id. A tour without a next departure
-- (null) comes last. The character between the three parts occurs in no name.
create function next_departure_key(departure_date date, name_folded text, tour_id uuid) returns text
  language sql stable
  return (coalesce(to_char(departure_date, 'YYYY-MM-DD'), 'none') || e'\x01' || name_folded || e'\x01' || tour_id) collate "C";

-- The next open departure of each tour, computed in advance, because a list in the order of next departures needs an index. A row is valid
-- from computed_at until just before open_until, if its tour is not in next_departures_due. A query computes the next departures of all
-- other tours itself, so its result is always exact. Every 15 seconds the API computes and stores the missing rows.
create table next_departures (
  tour_id     uuid        primary key references tours (id) on delete cascade,
  continent   text        collate "C" not null,
  -- One column instead of three: for a list of columns the planner has no statistics of their order, and it sorted a page of tours without
  -- a date.
  sort_key    text        collate "C" not null,
  computed_at timestamptz not null,
  -- The time at which this departure closes.
  open_until  timestamptz not null
);
create index next_departures_by_key on next_departures (continent, sort_key, tour_id);
create index next_departures_computed on next_departures (computed_at);
create index next_departures_until on next_departures (open_until);

-- The tours whose row in next_departures must be computed again. Writers only add rows, so that no writer waits for another.
create table next_departures_due (
  id      bigint generated always as identity primary key,
  tour_id uuid   not null
);
create index next_departures_due_by_tour on next_departures_due (tour_id);

-- Adds rows to next_departures_due: one for each tour whose own row, or the row of one of its departures, a statement has changed.
create function mark_next_departures() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'tours' then
    insert into next_departures_due (tour_id) select id from new_rows;
  elsif tg_op = 'INSERT' then
    insert into next_departures_due (tour_id) select distinct tour_id from new_rows;
  elsif tg_op = 'DELETE' then
    insert into next_departures_due (tour_id) select distinct tour_id from old_rows;
  else
    insert into next_departures_due (tour_id) select tour_id from new_rows union select tour_id from old_rows;
  end if;
  return null;
end $$;

-- Adds every tour to next_departures_due, because TRUNCATE does not say which rows it removes.
create function mark_all_next_departures() returns trigger language plpgsql as $$
begin
  insert into next_departures_due (tour_id) select id from tours;
  return null;
end $$;

create trigger tours_inserted_next_departures after insert on tours
  referencing new table as new_rows for each statement execute function mark_next_departures();
create trigger tours_updated_next_departures after update on tours
  referencing new table as new_rows for each statement execute function mark_next_departures();
create trigger departures_inserted_next_departures after insert on departures
  referencing new table as new_rows for each statement execute function mark_next_departures();
create trigger departures_updated_next_departures after update on departures
  referencing new table as new_rows old table as old_rows for each statement execute function mark_next_departures();
create trigger departures_deleted_next_departures after delete on departures
  referencing old table as old_rows for each statement execute function mark_next_departures();
create trigger departures_truncated_next_departures after truncate on departures
  for each statement execute function mark_all_next_departures();
