-- migrate.ts runs each statement by itself, as in 0019, so that sales go on while the index is built; each can run again.
drop index concurrently if exists departures_by_status_change;
create index concurrently departures_by_status_change on departures (status_changed_at, id) where status_changed_at is not null;
