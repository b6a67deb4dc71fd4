-- For the lists of bookings with one status, in the three orders of bookings/booking-lead.repository.ts: without these, a page reads all
-- bookings of the tenant when few have the status. migrate.ts runs each statement by itself, as in 0019.
drop index concurrently if exists booking_leads_by_status;
create index concurrently booking_leads_by_status on booking_leads (tenant_id, status, (-id));

drop index concurrently if exists booking_leads_by_status_and_date;
create index concurrently booking_leads_by_status_and_date on booking_leads (tenant_id, status, departure_date, id)
  where departure_date is not null;

drop index concurrently if exists booking_leads_by_status_and_update;
create index concurrently booking_leads_by_status_and_update on booking_leads (tenant_id, status,
  (coalesce(updated_at, greatest(created_at, confirmed_at, cancelled_at, expired_at, anonymized_at))), id);
