-- Cancelling and reopening a departure is a change of its bookings (updated_since, bookings/lead-list.repository.ts), without a write to
-- each of them. 0037 builds the index.

-- When the departure was last cancelled or reopened. Null: not since this migration.
alter table departures add column status_changed_at timestamptz;

create function stamp_departure_status() returns trigger language plpgsql as
  'begin new.status_changed_at := clock_timestamp(); return new; end';

create trigger departures_status_stamped before update on departures
  for each row when (new.status <> old.status) execute function stamp_departure_status();
