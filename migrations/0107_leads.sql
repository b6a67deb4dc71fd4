-- Booking leads: the requests of tenants' customers, and the further fields of bookings by OCTO.

-- The request of a tenant's customer, with its price and the state of its payment.
create table booking_leads (
  id               bigint      generated always as identity (start with 1001) primary key,
  booking_ref      text        not null constraint booking_leads_ref_unique unique,
  tenant_id        uuid        not null references tenants (id),
  tour_id          uuid        not null references tours (id) on delete restrict,
  departure_id     uuid        references departures (id) on delete restrict,
  departure_date   date,
  hold_id          uuid        constraint booking_leads_hold_unique unique references seat_holds (id),
  adults           integer     not null,
  status           text        not null default 'pending_payment'
                   constraint booking_leads_status_known check (status in ('pending_payment', 'confirmed', 'cancelled', 'expired')),
  -- The price of one adult.
  unit_price_minor bigint      not null constraint booking_leads_unit_price_range check (unit_price_minor >= 0),
  total_minor      bigint      not null,
  -- The deposit may be above the total: a confirmed booking keeps its deposit when its total becomes smaller.
  deposit_minor    bigint      not null constraint booking_leads_deposit_range check (deposit_minor >= 0),
  currency         char(3)     not null,
  currency_digits  smallint    not null,
  price_breakdown  jsonb       not null,
  payment_method   text        not null
                   constraint booking_leads_payment_method_known check (payment_method in ('bank', 'reserve', 'card')),
  external_ref     text        constraint booking_leads_external_ref_length check (char_length(external_ref) between 1 and 128),
  source           text        not null default 'tenant_api',
  customer_name    text        constraint booking_leads_customer_name_length check (char_length(customer_name) <= 200),
  customer_phone   text,
  customer_email   text        constraint booking_leads_customer_email_length check (char_length(customer_email) <= 254),
  notes            text        constraint booking_leads_notes_length check (char_length(notes) <= 2000),
  created_at       timestamptz not null default now(),
  -- The end of the payment window. From this instant on, every query counts an unpaid lead as expired. Null: no end.
  payment_due_at   timestamptz,
  confirmed_at     timestamptz,
  cancelled_at     timestamptz,
  expired_at       timestamptz,
  -- The actor of each change: the id of a key, or an operator.
  created_by       text,
  confirmed_by     text,
  cancelled_by     text,
  -- From this time on, the row has no data of the customer (ADR 23).
  anonymized_at    timestamptz,
  children         integer     not null default 0,
  single_supplements integer   not null default 0,
  -- The price of one child, and of one single supplement.
  child_price_minor bigint,
  single_supplement_minor bigint,
  -- The names of the travellers, as an array of objects.
  travellers       jsonb       constraint booking_leads_travellers_are_list check (jsonb_typeof(travellers) = 'array'),
  cancel_reason    text        constraint booking_leads_cancel_reason_length check (char_length(cancel_reason) <= 500),
  -- Null: the row has not been updated.
  updated_at       timestamptz,
  -- True for a booking of a sandbox tenant. Seats of the sandbox and real seats are counted separately.
  sandbox          boolean     not null default false,
  constraint booking_leads_date_and_departure check ((departure_id is null) = (departure_date is null)),
  -- Children take a seat each, like adults.
  constraint booking_leads_party_range check (
    adults between 0 and 50 and children between 0 and 50 and adults + children between 1 and 50
    and single_supplements between 0 and adults),
  constraint booking_leads_party_priced check (
    (children = 0 or child_price_minor is not null)
    and (single_supplements = 0 or single_supplement_minor is not null)),
  constraint booking_leads_prices_range check (child_price_minor >= 0 and single_supplement_minor >= 0),
  constraint booking_leads_total_is_sum check (
    total_minor = unit_price_minor * adults + coalesce(child_price_minor, 0) * children
                  + coalesce(single_supplement_minor, 0) * single_supplements),
  -- OCTO clients may leave out the name, the phone or the email.
  constraint booking_leads_customer_known check (
    case when anonymized_at is null then source = 'octo' or num_nulls(customer_name, customer_phone, customer_email) = 0
         else num_nonnulls(customer_name, customer_phone, customer_email, notes, travellers, cancel_reason) = 0 end)
);
-- For the reason given at seat_holds (0106).
alter table booking_leads alter column departure_id set (n_distinct = -0.05);

-- For count_seats, like seat_holds_live_by_kind (0106).
create index booking_leads_standing_by_kind on booking_leads (departure_id, sandbox)
  include (adults, children, status, payment_due_at) where status in ('pending_payment', 'confirmed');
create index booking_leads_unpaid_by_due on booking_leads (payment_due_at) where status = 'pending_payment';
-- For the count of a tenant's standing unpaid bookings.
create index booking_leads_unpaid_of_tenant on booking_leads (tenant_id, payment_due_at) where status = 'pending_payment';
create index booking_leads_departure on booking_leads (departure_id) where departure_id is not null;
create index booking_leads_anonymized on booking_leads (tenant_id, anonymized_at) where anonymized_at is not null;
create index booking_leads_by_time on booking_leads using brin (created_at);

-- For the lists of bookings and their filters, in the three orders of a list: by number, by departure and by
-- change. Without an index by status, a page would read all bookings of the tenant if only few have the status. The expression of the third
-- order is the last change of the lead itself.
create index booking_leads_tenant on booking_leads (tenant_id, id);
create index booking_leads_external_ref on booking_leads (tenant_id, external_ref, id) where external_ref is not null;
create index booking_leads_by_status on booking_leads (tenant_id, status, (-id));
create index booking_leads_by_departure_date on booking_leads (tenant_id, departure_date, id) where departure_date is not null;
create index booking_leads_by_status_and_date on booking_leads (tenant_id, status, departure_date, id)
  where departure_date is not null;
create index booking_leads_by_update on booking_leads (tenant_id,
  (coalesce(updated_at, greatest(created_at, confirmed_at, cancelled_at, expired_at, anonymized_at))), id);
create index booking_leads_by_status_and_update on booking_leads (tenant_id, status,
  (coalesce(updated_at, greatest(created_at, confirmed_at, cancelled_at, expired_at, anonymized_at))), id);

-- Writes updated_at in every update of a lead.
create function set_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;
create trigger booking_leads_changed before update on booking_leads
  for each row execute function set_updated_at();

-- The changes of bookings, like hold_changes (0106). Rows are only added.
create table booking_changes (
  lead_id bigint      not null references booking_leads (id),
  at      timestamptz not null,
  by      text,
  fields  json        not null
);
create index booking_changes_lead on booking_changes (lead_id);

-- Returns true if the lead is neither cancelled nor expired at the instant `at`, so that it keeps its seats.
create function lead_stands(status text, payment_due_at timestamptz, at timestamptz) returns boolean
  language sql immutable
  return status = 'confirmed' or (status = 'pending_payment' and (payment_due_at is null or payment_due_at > at));

-- Returns true if the lead was not paid in time, but is not marked as expired yet.
create function lead_lapsed(status text, payment_due_at timestamptz, at timestamptz) returns boolean
  language sql immutable
  return status = 'pending_payment' and payment_due_at <= at;

-- The fields of OCTO bookings that holds and leads do not have. An OCTO booking is a hold until it is confirmed, and then the lead that
-- consumes the hold. The row is written in the transaction of the hold. The lead is the one with the same hold_id.
create table octo_bookings (
  tenant_id      uuid        not null references tenants (id),
  -- Chosen by the client, so it is unique only within its tenant.
  uuid           uuid        not null,
  hold_id        uuid        not null references seat_holds (id),
  -- The fingerprint of the request, by which a repeat is recognised. Null after anonymization, because it could confirm a guess.
  request_digest bytea,
  -- The contact as the client sent it, with OCTO's field names; {} after anonymization.
  contact        jsonb       not null,
  -- For each seat: uuid, unitId, resellerReference, and the contact as the client sent it.
  unit_items     jsonb       not null constraint octo_bookings_unit_items_are_list check (jsonb_typeof(unit_items) = 'array'),
  -- The notes and the reason of cancellation of the hold. A lead stores its own.
  notes          text        constraint octo_bookings_notes_length check (char_length(notes) <= 2000),
  cancel_reason  text        constraint octo_bookings_cancel_reason_length check (char_length(cancel_reason) <= 500),
  updated_at     timestamptz not null,
  -- The date of the lead's departure, or without a lead of the hold's. It has an index, so that a list by date reads only the bookings in
  -- its range: there is no index of ended holds by departure. Triggers write the column, because REST can also move holds and leads of
  -- OCTO.
  departure_date date        not null,
  constraint octo_bookings_uuid_unique primary key (tenant_id, uuid),
  constraint octo_bookings_hold_unique unique (hold_id)
);
create index octo_bookings_by_departure_date on octo_bookings (tenant_id, departure_date);

-- Writes the date of the hold's departure into a new row. A row that a restore copies already has the date.
create function date_octo_booking() returns trigger language plpgsql as $$
begin
  select d.departure_date into new.departure_date
    from seat_holds h join departures d on d.id = h.departure_id where h.id = new.hold_id;
  return new;
end $$;
create trigger octo_bookings_inserted before insert on octo_bookings
  for each row when (new.departure_date is null) execute function date_octo_booking();

-- Writes the new date of a hold that moves to another departure.
create function move_octo_booking_of_hold() returns trigger language plpgsql as $$
begin
  update octo_bookings o set departure_date = d.departure_date
    from departures d where d.id = new.departure_id and o.hold_id = new.id;
  return null;
end $$;
create trigger seat_holds_moved after update of departure_id on seat_holds
  for each row when (new.departure_id <> old.departure_id) execute function move_octo_booking_of_hold();

-- Writes the new date of a lead that moves to another departure.
create function move_octo_booking_of_lead() returns trigger language plpgsql as $$
begin
  update octo_bookings o set departure_date = new.departure_date where o.hold_id = new.hold_id;
  return null;
end $$;
create trigger booking_leads_moved after update of departure_date on booking_leads
  for each row when (new.departure_date <> old.departure_date and new.hold_id is not null)
  execute function move_octo_booking_of_lead();
