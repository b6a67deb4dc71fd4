-- Children take a seat each, like adults. Each category has a price of its own; unit_price_minor is one adult's. A booking tells
-- why it was cancelled, and when it last changed.

-- In the order of a sale, which reads leads before it inserts a hold.
lock table booking_leads, seat_holds in access exclusive mode;

-- The constraints are validated in 0018, without this lock.
alter table seat_holds
  add column children integer not null default 0,
  add column child_price_minor bigint,
  add column single_supplement_minor bigint,
  add constraint seat_holds_children_range check (children between 0 and quantity) not valid,
  add constraint seat_holds_children_priced check (children = 0 or child_price_minor is not null) not valid,
  add constraint seat_holds_prices_range check (child_price_minor >= 0 and single_supplement_minor >= 0) not valid;

alter table booking_leads
  add column children integer not null default 0,
  add column single_supplements integer not null default 0,
  add column child_price_minor bigint,
  add column single_supplement_minor bigint,
  -- The names of the travellers, as an array of objects.
  add column travellers jsonb,
  add column cancel_reason text,
  -- Null for a booking that has not changed since this migration.
  add column updated_at timestamptz,
  drop constraint booking_leads_adults_range,
  drop constraint booking_leads_total_is_product,
  drop constraint booking_leads_customer_known,
  add constraint booking_leads_party_range check (
    adults between 0 and 50 and children between 0 and 50 and adults + children between 1 and 50
    and single_supplements between 0 and adults) not valid,
  add constraint booking_leads_party_priced check (
    (children = 0 or child_price_minor is not null)
    and (single_supplements = 0 or single_supplement_minor is not null)) not valid,
  add constraint booking_leads_prices_range check (child_price_minor >= 0 and single_supplement_minor >= 0) not valid,
  add constraint booking_leads_total_is_sum check (
    total_minor = unit_price_minor * adults + coalesce(child_price_minor, 0) * children
                  + coalesce(single_supplement_minor, 0) * single_supplements) not valid,
  add constraint booking_leads_travellers_are_list check (jsonb_typeof(travellers) = 'array') not valid,
  add constraint booking_leads_cancel_reason_length check (char_length(cancel_reason) <= 500) not valid,
  add constraint booking_leads_customer_known check (
    case when anonymized_at is null then num_nulls(customer_name, customer_phone, customer_email) = 0
         else num_nonnulls(customer_name, customer_phone, customer_email, notes, travellers, cancel_reason) = 0 end) not valid;

drop index booking_leads_standing;
create index booking_leads_standing on booking_leads (departure_id) include (adults, children, status, payment_due_at)
  where status in ('pending_payment', 'confirmed');

create function set_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;
create trigger booking_leads_changed before update on booking_leads
  for each row execute function set_updated_at();

-- Counts children too; the rest is as in 0014.
create or replace function count_seats(departure uuid, at timestamptz) returns table (taken integer)
  language sql stable rows 1
begin atomic
  select (
    coalesce((select sum(h.quantity) from seat_holds h
              where h.departure_id = departure and hold_lives(h.status, h.expires_at, at)), 0)
    + coalesce((select sum(l.adults + l.children) from booking_leads l
                where l.departure_id = departure and l.status in ('pending_payment', 'confirmed')
                  and lead_stands(l.status, l.payment_due_at, at)), 0)
  )::integer;
end;
