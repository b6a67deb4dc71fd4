-- Cancelling and reopening a departure is a change of its bookings (updated_since, bookings/booking-lead.repository.ts), without a write to
-- each of them. migrate.ts runs each statement by itself, as in 0019, so that sales go on while the index is built; each can run again.

-- When the departure was last cancelled or reopened. Null: not since this migration.
alter table departures add column if not exists status_changed_at timestamptz;

create or replace function stamp_departure_status() returns trigger language plpgsql as
  'begin new.status_changed_at := clock_timestamp(); return new; end';

create or replace trigger departures_status_stamped before update on departures
  for each row when (new.status <> old.status) execute function stamp_departure_status();

drop index concurrently if exists departures_by_status_change;
create index concurrently departures_by_status_change on departures (status_changed_at, id) where status_changed_at is not null;
