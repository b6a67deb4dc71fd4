-- The kind comes first after the departure, so that a count reads no row of the other kind, and no table row where the index has it.
-- migrate.ts runs each statement by itself, as in 0019. Until then counts use the indexes of 0005 and 0015.
drop index concurrently if exists seat_holds_live_by_kind;
create index concurrently seat_holds_live_by_kind on seat_holds (departure_id, sandbox, expires_at) include (quantity)
  where status = 'active';
drop index concurrently if exists seat_holds_live;

drop index concurrently if exists booking_leads_standing_by_kind;
create index concurrently booking_leads_standing_by_kind on booking_leads (departure_id, sandbox)
  include (adults, children, status, payment_due_at) where status in ('pending_payment', 'confirmed');
drop index concurrently if exists booking_leads_standing;
