-- The text of phone numbers, and holds without customers (ADR 23).

-- The phone number as sent, if the text says more than the number, such as `030 901820 (Anna)`. customer_phone has the first number.
alter table booking_leads add column customer_phone_as_sent text;
alter table seat_holds add column customer_phone_as_sent text;
-- From this time on, the hold has no data of the customer. Set by an operator, or some weeks after the hold ended without a booking.
alter table seat_holds add column anonymized_at timestamptz;

-- Checks only new rows: the columns are empty. Fails for an erasure by an older release, which would leave the text.
alter table booking_leads add constraint booking_leads_phone_text_erased
  check (anonymized_at is null or customer_phone_as_sent is null) not valid;
alter table seat_holds add constraint seat_holds_customer_erased
  check (anonymized_at is null or num_nonnulls(customer_name, customer_phone, customer_phone_as_sent, customer_email) = 0) not valid;

-- Deletes up to @at_most holds that ended without a booking more than @days ago, with their history and their OCTO details. Returns their
-- number. The API has no right to delete holds; this function lets it delete old ones only. Skips locked holds.
create function delete_ended_holds(days integer, at_most integer) returns integer language plpgsql as $$
declare
  old uuid[];
begin
  if days < 1 then
    raise exception 'holds that ended less than a day ago are not deleted';
  end if;
  old := array(
    select h.id from seat_holds h
    where h.status in ('released', 'expired') and h.expires_at < statement_timestamp() - make_interval(days => days)
      and not exists (select from booking_leads l where l.hold_id = h.id)
    order by h.expires_at limit at_most for update skip locked);
  delete from hold_extensions where hold_id = any (old);
  delete from hold_changes where hold_id = any (old);
  delete from octo_bookings where hold_id = any (old);
  delete from seat_holds where id = any (old);
  return cardinality(old);
end $$;

do $$
begin
  execute format('alter function delete_ended_holds(integer, integer) security definer set search_path = %I, pg_temp', current_schema());
  revoke execute on function delete_ended_holds(integer, integer) from public;
end $$;

insert into database_rights (object, role, rights)
values
  ('function delete_ended_holds(integer, integer)', 'tour_platform_api', 'execute'),
  ('function delete_ended_holds(integer, integer)', 'tour_platform_queue', '');
select grant_database_roles();
