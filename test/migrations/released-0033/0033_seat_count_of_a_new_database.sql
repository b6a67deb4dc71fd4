-- The counts of a departure must not fit the indexes of live holds by expiry and by tenant. In a new database, whose tables have no
-- statistics, all plans cost the same: the count of seats read the live holds of all departures by their expiry, until ANALYZE. A
-- comparison of the column implies that it is not null. migrate.ts runs each statement by itself, as in 0019.

drop index concurrently if exists seat_holds_by_expiry;
create index concurrently seat_holds_by_expiry on seat_holds (expires_at) where status = 'active' and expires_at is not null;
drop index concurrently if exists seat_holds_live_by_expiry;

drop index concurrently if exists seat_holds_live_by_tenant;
create index concurrently seat_holds_live_by_tenant on seat_holds (tenant_id, expires_at) where status = 'active' and tenant_id is not null;
drop index concurrently if exists seat_holds_live_of_tenant;
