-- The pickup of a reservation of OCTO (ADR 78): {"requested": true, "hotel": "Hotel Adlon", "room": "12", "chosen": {…}}, with `chosen` as in
-- booking_answers. A booking takes it over. Null: none, or erased.
alter table octo_bookings add column pickup jsonb constraint octo_bookings_pickup_form check (jsonb_typeof(pickup) = 'object');
-- Finds the pickups that are erased after the return.
create index octo_bookings_pickups on octo_bookings (departure_date) where pickup is not null;

insert into rolling_migrations values ('0171_octo_pickups');
