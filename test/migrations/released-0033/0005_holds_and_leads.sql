-- A hold keeps seats of one departure, and their price, for one tenant until expires_at, its release or its booking.
-- The lead that consumes a hold names it in hold_id.
create table seat_holds (
  id               uuid        primary key default gen_random_uuid(),
  tenant_id        uuid        not null references tenants (id),
  departure_id     uuid        not null references departures (id) on delete restrict,
  quantity         integer     not null constraint seat_holds_quantity_range check (quantity between 1 and 50),
  hold_minutes     integer     not null constraint seat_holds_minutes_range check (hold_minutes between 1 and 120),
  status           text        not null default 'active'
                   constraint seat_holds_status_known check (status in ('active', 'released', 'expired', 'converted')),
  expires_at       timestamptz not null,
  unit_price_minor bigint      not null constraint seat_holds_unit_price_range check (unit_price_minor >= 0),
  currency         char(3)     not null,
  currency_digits  smallint    not null,
  -- The calculation of the locked price: the platform's price and the tenant's rule.
  price_breakdown  jsonb       not null,
  external_ref     text        constraint seat_holds_external_ref_length check (char_length(external_ref) between 1 and 128),
  customer_name    text        constraint seat_holds_customer_name_length check (char_length(customer_name) <= 200),
  customer_phone   text,
  customer_email   text        constraint seat_holds_customer_email_length check (char_length(customer_email) <= 254),
  created_at       timestamptz not null default now(),
  ended_at         timestamptz,
  -- The actors that placed and ended it: the id of a key, or an operator. Null: unknown, or it expired.
  placed_by        text,
  ended_by         text,
  -- A hold lasts two hours at most (contract section 3, holds/hold-length.ts).
  constraint seat_holds_life check (expires_at <= created_at + interval '120 minutes 1 second')
);
create index seat_holds_live on seat_holds (departure_id, expires_at) include (quantity) where status = 'active';
create index seat_holds_live_of_tenant on seat_holds (tenant_id, expires_at) where status = 'active';
create index seat_holds_live_by_expiry on seat_holds (expires_at) where status = 'active';
create index seat_holds_by_external_ref on seat_holds (tenant_id, external_ref, departure_id)
  where status = 'active' and external_ref is not null;
create index seat_holds_tenant on seat_holds (tenant_id, created_at);
-- For counts by day over all tenants. Rows are inserted in the order of time, so a BRIN index needs a few bytes for 128 pages.
create index seat_holds_by_time on seat_holds using brin (created_at);

-- The extensions of holds, append only: the hold itself stores only its current end.
create table hold_extensions (
  hold_id    uuid        not null references seat_holds (id),
  at         timestamptz not null,
  expires_at timestamptz not null,
  by         text
);
create index hold_extensions_hold on hold_extensions (hold_id);

-- A booking lead: the request of a tenant's customer, with its price and the state of its payment.
create table booking_leads (
  id               bigint      generated always as identity (start with 1001) primary key,
  booking_ref      text        not null constraint booking_leads_ref_unique unique,
  tenant_id        uuid        not null references tenants (id),
  tour_id          uuid        not null references tours (id) on delete restrict,
  departure_id     uuid        references departures (id) on delete restrict,
  departure_date   date,
  hold_id          uuid        constraint booking_leads_hold_unique unique references seat_holds (id),
  adults           integer     not null constraint booking_leads_adults_range check (adults between 1 and 50),
  status           text        not null default 'pending_payment'
                   constraint booking_leads_status_known check (status in ('pending_payment', 'confirmed', 'cancelled', 'expired')),
  unit_price_minor bigint      not null constraint booking_leads_unit_price_range check (unit_price_minor >= 0),
  total_minor      bigint      not null,
  deposit_minor    bigint      not null constraint booking_leads_deposit_range check (deposit_minor between 0 and total_minor),
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
  -- End of the payment window; null: none. From this instant on every query counts an unpaid lead as expired.
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
  constraint booking_leads_customer_known check (
    case when anonymized_at is null then num_nulls(customer_name, customer_phone, customer_email) = 0
         else num_nonnulls(customer_name, customer_phone, customer_email, notes) = 0 end),
  constraint booking_leads_total_is_product check (total_minor = unit_price_minor * adults),
  constraint booking_leads_date_and_departure check ((departure_id is null) = (departure_date is null))
);
create index booking_leads_standing on booking_leads (departure_id) include (adults, status, payment_due_at)
  where status in ('pending_payment', 'confirmed');
create index booking_leads_unpaid_by_due on booking_leads (payment_due_at) where status = 'pending_payment';
create index booking_leads_tenant on booking_leads (tenant_id, id);
create index booking_leads_external_ref on booking_leads (tenant_id, external_ref, id) where external_ref is not null;
create index booking_leads_departure on booking_leads (departure_id) where departure_id is not null;
create index booking_leads_anonymized on booking_leads (tenant_id, anonymized_at) where anonymized_at is not null;
create index booking_leads_by_time on booking_leads using brin (created_at);

-- Counts and lists refused sales, for people who ask for the reason. Instances of the API write both tables in batches, outside the
-- sale's transaction, so a killed process loses its last seconds. Counts all refusals; lists only the first ones of a flood.
create table sale_refusal_counts (
  day       date    not null,
  tenant_id uuid    not null references tenants (id),
  operation text    not null,
  -- Code of the problem document, such as insufficient_seats.
  code      text    not null,
  count     integer not null constraint sale_refusal_counts_positive check (count > 0),
  primary key (day, tenant_id, operation, code)
);

create table sale_refusals (
  id              bigint      generated always as identity primary key,
  at              timestamptz not null,
  tenant_id       uuid        not null references tenants (id),
  operation       text        not null,
  code            text        not null,
  request_id      text        not null,
  tour_id         uuid,
  departure_date  date,
  quantity        integer,
  seats_available integer,
  external_ref    text,
  hold_id         uuid,
  booking_ref     text
);
create index sale_refusals_tenant on sale_refusals (tenant_id, at);
create index sale_refusals_at on sale_refusals (at);
create index sale_refusals_hold on sale_refusals (hold_id) where hold_id is not null;
create index sale_refusals_booking on sale_refusals (booking_ref) where booking_ref is not null;

-- Returns true if the hold keeps its seats at the instant `at`.
create function hold_lives(status text, expires_at timestamptz, at timestamptz) returns boolean
  language sql immutable
  return status = 'active' and expires_at > at;

-- Returns true if the hold has expired at the instant `at`, but is not marked as expired yet.
create function hold_lapsed(status text, expires_at timestamptz, at timestamptz) returns boolean
  language sql immutable
  return status = 'active' and expires_at <= at;

-- Returns true if the lead is valid, and keeps its seats, at the instant `at`.
create function lead_stands(status text, payment_due_at timestamptz, at timestamptz) returns boolean
  language sql immutable
  return status = 'confirmed' or (status = 'pending_payment' and (payment_due_at is null or payment_due_at > at));

-- Returns true if the lead was not paid in time, but is not marked as expired yet.
create function lead_lapsed(status text, payment_due_at timestamptz, at timestamptz) returns boolean
  language sql immutable
  return status = 'pending_payment' and payment_due_at <= at;

-- Counts the taken seats: live holds and standing leads. Since 0014, count_seats counts them.
create function seats_taken(departure uuid, at timestamptz) returns integer
  language sql stable
  return (
    coalesce((select sum(h.quantity) from seat_holds h
              where h.departure_id = departure and hold_lives(h.status, h.expires_at, at)), 0)
    + coalesce((select sum(l.adults) from booking_leads l
                where l.departure_id = departure and l.status in ('pending_payment', 'confirmed')
                  and lead_stands(l.status, l.payment_due_at, at)), 0)
  )::integer;
