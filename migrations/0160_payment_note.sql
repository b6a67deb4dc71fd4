-- How to pay, as a tenant tells its customers: plain text, which the answers of its bookings show. Null: none.
alter table tenants
  add column payment_note text constraint tenants_payment_note_length check (char_length(payment_note) between 1 and 1000);

insert into rolling_migrations values ('0160_payment_note');
