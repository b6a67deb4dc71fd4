-- A booking tells why it was cancelled, and when it last changed.
alter table booking_leads
  add column cancel_reason text constraint booking_leads_cancel_reason_length check (char_length(cancel_reason) <= 500),
  add column updated_at timestamptz;

update booking_leads set updated_at = greatest(created_at, confirmed_at, cancelled_at, expired_at, anonymized_at);

alter table booking_leads
  alter column updated_at set not null,
  alter column updated_at set default now(),
  drop constraint booking_leads_customer_known,
  add constraint booking_leads_customer_known check (
    case when anonymized_at is null then num_nulls(customer_name, customer_phone, customer_email) = 0
         else num_nonnulls(customer_name, customer_phone, customer_email, notes, travellers, cancel_reason) = 0 end);

create function set_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;

create trigger booking_leads_changed before update on booking_leads
  for each row execute function set_updated_at();
