-- An unpaid booking keeps seats like a hold, until the end of the tenant's payment window. So it counts in the tenant's share of a
-- departure (max_hold_share), and max_unpaid limits the number of a tenant's unpaid bookings (sales/tenant-limits.ts).
alter table tenants
  add column max_unpaid integer not null default 1000 constraint tenants_max_unpaid_positive check (max_unpaid > 0);

-- For the count of a tenant's standing unpaid bookings.
create index booking_leads_unpaid_of_tenant on booking_leads (tenant_id, payment_due_at) where status = 'pending_payment';

-- For a booking without a date, to find any hold with the reference. seat_holds_by_external_ref has live holds only.
create index seat_holds_by_any_external_ref on seat_holds (tenant_id, external_ref) where external_ref is not null;
