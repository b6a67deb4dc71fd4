-- The bookings of OCTO clients. A booking of OCTO is a hold until it is confirmed, then the lead that consumes the hold.

-- In the order of a sale, which reads leads before it inserts a hold.
lock table booking_leads, seat_holds in access exclusive mode;

-- OCTO clients may leave out the name, the phone or the email. Not validated: the constraint before was stricter.
alter table booking_leads
  drop constraint booking_leads_customer_known,
  add constraint booking_leads_customer_known check (
    case when anonymized_at is null then source = 'octo' or num_nulls(customer_name, customer_phone, customer_email) = 0
         else num_nonnulls(customer_name, customer_phone, customer_email, notes, travellers, cancel_reason) = 0 end) not valid;

-- The fields of an OCTO booking that holds and leads do not have. Written in the transaction of the hold; the lead is the one with
-- its hold_id.
create table octo_bookings (
  tenant_id      uuid        not null references tenants (id),
  -- Chosen by the caller, so it is unique within its tenant only.
  uuid           uuid        not null,
  hold_id        uuid        not null references seat_holds (id),
  -- SHA-256 of the validated request, to recognise its repetition. Null after anonymization, because it would confirm a guess.
  request_digest bytea,
  -- The contact as sent, in OCTO's names; {} after anonymization.
  contact        jsonb       not null,
  -- Per seat: uuid, unitId, resellerReference, and the contact as sent.
  unit_items     jsonb       not null constraint octo_bookings_unit_items_are_list check (jsonb_typeof(unit_items) = 'array'),
  -- The hold's reason; a lead has its own.
  notes          text        constraint octo_bookings_notes_length check (char_length(notes) <= 2000),
  cancel_reason  text        constraint octo_bookings_cancel_reason_length check (char_length(cancel_reason) <= 500),
  updated_at     timestamptz not null,
  constraint octo_bookings_uuid_unique primary key (tenant_id, uuid),
  constraint octo_bookings_hold_unique unique (hold_id)
);
