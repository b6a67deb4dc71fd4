-- Payment reminders: an event for a booking whose payment is due soon.

-- How long before the payment is due the event booking.payment_due is sent. Null: never.
alter table tenants add column payment_reminder_minutes integer default 24 * 60
  constraint tenants_payment_reminder_positive check (payment_reminder_minutes > 0);

alter table webhook_endpoints drop constraint webhook_endpoints_events_known;
alter table webhook_endpoints add constraint webhook_endpoints_events_known
  check (cardinality(events) > 0 and events <@ array['booking.created', 'booking.confirmed', 'booking.updated', 'booking.cancelled',
    'booking.expired', 'booking.payment_due', 'hold.expired', 'departure.cancelled', 'departure.updated', 'endpoint.disabled']);

-- The leads for which booking.payment_due was sent, so that the event is sent once. The time is not a column of booking_leads: an update of
-- a lead locks its departure and counts the seats again. Websites would also see the update as a change of the booking.
create table payment_reminders (
  lead_id bigint      primary key references booking_leads (id),
  sent_at timestamptz not null
);

insert into database_rights (object, role, rights)
values
  ('payment_reminders', 'tour_platform_api', 'select, insert'),
  ('payment_reminders', 'tour_platform_queue', '');
select grant_database_roles();
