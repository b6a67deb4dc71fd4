-- Events carry updated_at, so that a receiver keeps the latest event of a booking or a departure (ADR 52). Each change therefore sets
-- updated_at at least a millisecond after the previous value: events show milliseconds, two changes may happen in one, and the clock of
-- the database may go back, for example after a failover.

-- Returns the time of the next change of a lead, if the clock shows `at`. The API shows the later one of the lead's time and the time at
-- which its departure was last cancelled or reopened, so the next time is after both.
create function next_update_of(l booking_leads, at timestamptz) returns timestamptz
  language sql stable
  return greatest(at, interval '1 ms' + greatest(
    l.updated_at, l.created_at, l.confirmed_at, l.cancelled_at, l.expired_at, l.anonymized_at,
    (select d.status_changed_at from departures d where d.id = l.departure_id)));

-- Writes updated_at in every update of a lead that does not write it itself.
-- @rule which of two events of a booking is the later one: test/api/event-order.test.ts
create or replace function set_updated_at() returns trigger language plpgsql as $$
begin
  if new.updated_at is not distinct from old.updated_at then
    new.updated_at := next_update_of(old, clock_timestamp());
  end if;
  return new;
end $$;

-- Writes updated_at in every update of a departure.
create function set_departure_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 ms');
  return new;
end $$;
create trigger departures_updated_at before update on departures
  for each row execute function set_departure_updated_at();

-- A new start time of a tour changes its departures that have none of their own, whose rows are not written otherwise.
create function update_departures_of_tour() returns trigger language plpgsql as $$
begin
  update departures set updated_at = updated_at where tour_id = new.id and start_time is null;
  return null;
end $$;
create trigger tours_updated_departures after update of start_time on tours
  for each row when (old.start_time is distinct from new.start_time) execute function update_departures_of_tour();

-- Returns the body for one endpoint, like the function of 0126. The format `thin` also has updated_at.
create or replace function webhook_body(format text, type text, at timestamptz, body text) returns text
  language sql stable
  return case when format = 'octo' then octo_notification(type, at, body) when format <> 'spec' then
    '{"type":' || to_json(type) || ',"timestamp":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":' ||
    case format when 'standard' then body else (
      select '{' || coalesce(string_agg(to_json(k.name) || ':' || (body::json -> k.name), ',' order by k.place), '') || '}'
      from unnest(case when type like 'departure.%' then array['tour', 'departure_date', 'departure_time', 'booking_refs', 'updated_at']
                       else array['booking_ref', 'lead_id', 'hold_id', 'endpoint', 'updated_at'] end) with ordinality as k (name, place)
      where body::json -> k.name is not null
    ) end || '}'
  end;
