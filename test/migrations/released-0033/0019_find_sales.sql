-- Indexes for the filters of the lists of holds and bookings, in the order of their pages. migrate.ts runs each statement by itself,
-- without a transaction, so that sales go on while an index is built. A repetition begins anew: a build that was interrupted leaves an
-- index that is not valid.

-- A live hold is found by seat_holds_live_of_tenant (0005), and is written to no index more.
drop index concurrently if exists seat_holds_ended;
create index concurrently seat_holds_ended on seat_holds (tenant_id, status, created_at, id) where status <> 'active';

drop index concurrently if exists seat_holds_reference;
create index concurrently seat_holds_reference on seat_holds (tenant_id, external_ref, created_at, id)
  where external_ref is not null;
-- The new index has its columns.
drop index concurrently if exists seat_holds_by_any_external_ref;

drop index concurrently if exists booking_leads_by_departure_date;
create index concurrently booking_leads_by_departure_date on booking_leads (tenant_id, departure_date, id)
  where departure_date is not null;

-- The expression is the updated_at of the wire, in bookings/booking-lead.repository.ts.
drop index concurrently if exists booking_leads_by_update;
create index concurrently booking_leads_by_update on booking_leads (tenant_id,
  (coalesce(updated_at, greatest(created_at, confirmed_at, cancelled_at, expired_at, anonymized_at))), id);
