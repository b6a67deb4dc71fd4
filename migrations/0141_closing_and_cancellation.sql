-- Closing times before the start, and cancellation policies (ADR 54). The update is not rolling: a process of an earlier release neither
-- closes departures before their start nor locks policies.
do $$ begin
  if exists (select from api_instances where polled_at > clock_timestamp() - interval '1 minute') then
    raise exception 'an instance of an earlier release runs, which does not know closing times before the start'
      using errcode = 'object_not_in_prerequisite_state', constraint = 'migration_needs_stopped_instances';
  end if;
end $$;

-- PostgreSQL 15 to 17 do not add a column with a check to a table whose row type is an argument of an SQL function, like that of 0140. So the
-- function is replaced first, with the same result.
create or replace function next_update_of(l booking_leads, at timestamptz) returns timestamptz language plpgsql stable as $$
begin
  return greatest(at, interval '1 ms' + greatest(
    l.updated_at, l.created_at, l.confirmed_at, l.cancelled_at, l.expired_at, l.anonymized_at,
    (select d.status_changed_at from departures d where d.id = l.departure_id)));
end $$;

-- Returns true for a time before the start of a departure: minutes, hours or calendar days, such as 90m, 36h or 3d; at most 365 days.
create function is_cutoff(cutoff text) returns boolean
  language sql immutable
  return cutoff ~ '^(0|[1-9][0-9]{0,5})[mhd]$'
    and left(cutoff, -1)::integer * case right(cutoff, 1) when 'd' then 1440 when 'h' then 60 else 1 end <= 365 * 1440;

-- booking_cutoff: the departures of the tour close so long before their start. Null: at the start.
-- cancellation: {"tiers": [{"until": "30d", "refund_percent": 100}]}: the API checks the tiers. Null: not stated.
alter table tours
  add column booking_cutoff text constraint tours_booking_cutoff_form check (is_cutoff(booking_cutoff)),
  add column cancellation jsonb constraint tours_cancellation_form check (jsonb_typeof(cancellation -> 'tiers') = 'array');

-- The departure's own time before the start. It replaces that of its tour. Null: that of the tour, unless closes_at has an instant.
alter table departures
  add column closes_before text constraint departures_closes_before_form check (is_cutoff(closes_before)),
  add constraint departures_one_closing check (closes_at is null or closes_before is null);

-- The policy that the hold or the booking has locked, as in tours. Null: not stated.
alter table seat_holds add column cancellation jsonb;
alter table booking_leads
  add column cancellation jsonb,
  -- The highest share of the price that a cancellation refunds: the one that was reached when the booking changed its date.
  add column refund_ceiling smallint not null default 100
    constraint booking_leads_refund_ceiling_range check (refund_ceiling between 0 and 100),
  -- The refund of the cancellation. Null: nothing was paid, or the policy is not stated.
  add column refund_percent smallint constraint booking_leads_refund_percent_range check (refund_percent between 0 and 100),
  add column refund_minor bigint constraint booking_leads_refund_range check (refund_minor between 0 and total_minor),
  add constraint booking_leads_refund_complete check ((refund_percent is null) = (refund_minor is null));

drop function departure_is_open(text, date, timestamptz, text, timestamptz);
drop function departure_is_open(text, date, text, timestamptz, text, timestamptz);
drop function departure_closes_at(date, timestamptz, text);
drop function departure_closes_at(date, text, timestamptz, text);

-- Returns the first instant at which clocks show the local time, like first_instant. If clocks did not change in the two hours before, the
-- time comes once. PostgreSQL copies this expression into the statement, but calls first_instant for each row, which took half of the time
-- of a list of 366 departures. It does not copy a subtraction from a timestamptz, so the two hours are subtracted in UTC.
create function instant_of(local_time timestamp, time_zone text) returns timestamptz
  language sql immutable
  return case
    when (local_time at time zone time_zone at time zone 'UTC' - interval '2 hours') at time zone 'UTC' at time zone time_zone
      = local_time - interval '2 hours'
    then local_time at time zone time_zone
    else first_instant(local_time, time_zone) end;

-- Returns the first instant at which the departure is past.
-- @rule when a departure is past, in the tour's time zone: test/api/list-departures.test.ts
create function departure_past_at(departure_date date, start_time text, time_zone text) returns timestamptz
  language sql immutable
  return instant_of(departure_past_from(departure_date, start_time), time_zone);

-- Returns the instant so long before the start of the departure: its start time or, without one, 00:00 of its date. Days are calendar days
-- in the tour's time zone; hours and minutes are elapsed time.
create function instant_before_start(departure_date date, start_time text, cutoff text, time_zone text) returns timestamptz
  language sql immutable
  return (instant_of(
      departure_date
        + make_interval(hours => coalesce(left(start_time, 2), '0')::integer, mins => coalesce(right(start_time, 2), '0')::integer)
        - make_interval(days => case right(cutoff, 1) when 'd' then left(cutoff, -1)::integer else 0 end),
      time_zone) at time zone 'UTC'
    - make_interval(mins => case right(cutoff, 1) when 'h' then 60 when 'm' then 1 else 0 end * left(cutoff, -1)::integer)
  ) at time zone 'UTC';

-- Returns the instant before the start at which the departure closes, by its own instant or by its cut-off. Null: it has neither.
-- @param closes_at the departure's own instant. With it, the cut-off does not count
-- @param cutoff the departure's closes_before, or else the booking_cutoff of its tour. Null or 0: none
create function departure_closes_early_at(departure_date date, start_time text, closes_at timestamptz, cutoff text, time_zone text)
  returns timestamptz
  language sql immutable
  return coalesce(closes_at, case
    when left(cutoff, -1) <> '0' then instant_before_start(departure_date, start_time, cutoff, time_zone) end);

-- Returns the first instant at which a departure that is not cancelled cannot be booked.
-- @param closes_at, cutoff as in departure_closes_early_at
-- @rule when a departure closes: test/platform/cutoffs.test.ts
create function departure_closes_at(departure_date date, start_time text, closes_at timestamptz, cutoff text, time_zone text)
  returns timestamptz
  language sql immutable
  return least(
    departure_closes_early_at(departure_date, start_time, closes_at, cutoff, time_zone),
    departure_past_at(departure_date, start_time, time_zone));

-- Returns true if the departure can be booked at the instant `at`. Does not check whether it has free seats.
create function departure_is_open(
    status text, departure_date date, start_time text, closes_at timestamptz, cutoff text, time_zone text, at timestamptz)
  returns boolean
  language sql immutable
  return status = 'scheduled'
    and coalesce(departure_closes_early_at(departure_date, start_time, closes_at, cutoff, time_zone) > at, true)
    and not departure_is_past(departure_date, start_time, time_zone, at);

-- Returns the tiers of a policy with the instant at which each ends, in UTC: [{"until": "30d", "at": "2027-02-04T08:00:00Z",
-- "refund_percent": 100}]. Null: no policy, or no date.
-- @rule the instant before the start at which a tier ends: test/api/cancellation-policy.long.test.ts
create function dated_tiers(cancellation jsonb, departure_date date, start_time text, time_zone text) returns jsonb
  language sql stable
  return case when cancellation is not null and departure_date is not null then (
    select coalesce(jsonb_agg(tier.value || jsonb_build_object('at', to_char(
        instant_before_start(departure_date, start_time, tier.value ->> 'until', time_zone) at time zone 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS"Z"')) order by tier.place), '[]')
    from jsonb_array_elements(cancellation -> 'tiers') with ordinality as tier (value, place)) end;

-- A new cut-off of a tour closes its departures at another time, and their rows are not written otherwise.
create or replace function update_departures_of_tour() returns trigger language plpgsql as $$
begin
  update departures set updated_at = updated_at
  where tour_id = new.id
    and (start_time is null and old.start_time is distinct from new.start_time
      or closes_at is null and closes_before is null and old.booking_cutoff is distinct from new.booking_cutoff);
  return null;
end $$;
drop trigger tours_updated_departures on tours;
create trigger tours_updated_departures after update of start_time, booking_cutoff on tours
  for each row when ((old.start_time, old.booking_cutoff) is distinct from (new.start_time, new.booking_cutoff))
  execute function update_departures_of_tour();
