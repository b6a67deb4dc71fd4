-- An unpaid booking keeps seats as a hold does, for up to the tenant's payment window: it counts in the tenant's share of a departure
-- (max_hold_share), and a tenant may have so many of them at once.
alter table tenants
  add column max_unpaid integer not null default 1000 constraint tenants_max_unpaid_positive check (max_unpaid > 0);

-- For counting a tenant's unpaid bookings that stand.
create index booking_leads_unpaid_of_tenant on booking_leads (tenant_id, payment_due_at) where status = 'pending_payment';

-- For a booking without a date: whether the reference had a hold at all. seat_holds_by_external_ref has live ones only.
create index seat_holds_by_any_external_ref on seat_holds (tenant_id, external_ref) where external_ref is not null;
