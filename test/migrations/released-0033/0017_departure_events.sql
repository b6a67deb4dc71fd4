-- Adds the two events of a departure to those that an endpoint can ask for.
alter table webhook_endpoints drop constraint webhook_endpoints_events_known;
alter table webhook_endpoints add constraint webhook_endpoints_events_known
  check (cardinality(events) > 0 and events <@ array['booking.created', 'booking.confirmed', 'booking.cancelled', 'booking.expired',
    'hold.expired', 'departure.cancelled', 'departure.updated', 'endpoint.disabled']);

-- Returns the bytes of an event in a format, as in 0009. The thin body of a departure's event names the departure and the bookings.
create or replace function webhook_body(format text, type text, at timestamptz, body text) returns text
  language sql immutable
  return case when format <> 'spec' then
    '{"type":' || to_json(type) || ',"timestamp":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":' ||
    case format when 'standard' then body else (
      select '{' || coalesce(string_agg(to_json(k.name) || ':' || (body::json -> k.name), ',' order by k.place), '') || '}'
      from unnest(case when type like 'departure.%' then array['tour', 'departure_date', 'booking_refs']
                       else array['booking_ref', 'lead_id', 'hold_id', 'endpoint'] end) with ordinality as k (name, place)
      where body::json -> k.name is not null
    ) end || '}'
  end;
