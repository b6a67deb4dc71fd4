-- For databases that applied 0141 as it was before: they have the function of 0140, in a form that PostgreSQL 15 to 17 cannot extend the table
-- under. All databases have this one.

-- Returns the time of the next change of a lead, if the clock shows `at`. The API shows the later one of the lead's time and the time at
-- which its departure was last cancelled or reopened, so the next time is after both.
-- @rule the schema is the same on every server: test/servers/servers.long.test.ts
create or replace function next_update_of(l booking_leads, at timestamptz) returns timestamptz language plpgsql stable as $$
begin
  return greatest(at, interval '1 ms' + greatest(
    l.updated_at, l.created_at, l.confirmed_at, l.cancelled_at, l.expired_at, l.anonymized_at,
    (select d.status_changed_at from departures d where d.id = l.departure_id)));
end $$;
