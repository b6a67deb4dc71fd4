-- The text of phone numbers, and holds without customers (ADR 50).

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

-- The API erases the customers of ended holds, and deletes old holds.
insert into database_rights (object, role, rights)
values
  ('seat_holds', 'tour_platform_api', 'select, insert, update, delete'),
  ('hold_extensions', 'tour_platform_api', 'select, insert, delete'),
  ('hold_changes', 'tour_platform_api', 'select, insert, delete'),
  ('octo_bookings', 'tour_platform_api', 'select, insert, update, delete')
on conflict (object, role) do update set rights = excluded.rights;
select grant_database_roles();
