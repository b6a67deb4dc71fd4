-- Holds: seats that a tenant keeps for a customer until the customer decides.

-- Holds. A hold keeps seats of one departure, and their price, for one tenant: until expires_at, until the tenant releases the hold, or
-- until a booking consumes it. The lead that consumes a hold names the hold in hold_id.
create table seat_holds (
  id               uuid        primary key default gen_random_uuid(),
  tenant_id        uuid        not null references tenants (id),
  departure_id     uuid        not null references departures (id) on delete restrict,
  -- All seats: adults and children.
  quantity         integer     not null constraint seat_holds_quantity_range check (quantity between 1 and 50),
  hold_minutes     integer     not null constraint seat_holds_minutes_range check (hold_minutes between 1 and 120),
  status           text        not null default 'active'
                   constraint seat_holds_status_known check (status in ('active', 'released', 'expired', 'converted')),
  expires_at       timestamptz not null,
  -- The price of one adult.
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
  -- The actors that placed and ended the hold: the id of a key, or an operator. Null: unknown, or the hold expired.
  placed_by        text,
  ended_by         text,
  children         integer     not null default 0 constraint seat_holds_children_range check (children between 0 and quantity),
  -- The price of one child, and of one single supplement.
  child_price_minor bigint,
  single_supplement_minor bigint,
  -- True for a hold of a sandbox tenant. Seats of the sandbox and real seats are counted separately.
  sandbox          boolean     not null default false,
  -- A hold lasts two hours at most.
  constraint seat_holds_life check (expires_at <= created_at + interval '120 minutes 1 second'),
  constraint seat_holds_children_priced check (children = 0 or child_price_minor is not null),
  constraint seat_holds_prices_range check (child_price_minor >= 0 and single_supplement_minor >= 0)
);
-- Makes ANALYZE assume one departure for every 20 rows, instead of an estimate from a sample. A rush on one departure can fill the sample,
-- and the planner would then assume that all rows belong to this departure.
alter table seat_holds alter column departure_id set (n_distinct = -0.05);

-- For count_seats. The column sandbox follows departure_id in the index. So a count of real seats reads only real rows, and a count of
-- sandbox seats reads only sandbox rows. The index has all columns of the count, so the count need not read the table.
create index seat_holds_live_by_kind on seat_holds (departure_id, sandbox, expires_at) include (quantity) where status = 'active';
-- The count of a departure's seats must not use the next two indexes. In a new database, whose tables have no statistics, all plans cost
-- the same: until ANALYZE, the count read the live holds of all departures by their expiry. So each of the two indexes has a condition `is
-- not null` on a column that the count does not compare. A query that compares the column can use the index.
create index seat_holds_by_expiry on seat_holds (expires_at) where status = 'active' and expires_at is not null;
create index seat_holds_live_by_tenant on seat_holds (tenant_id, expires_at) where status = 'active' and tenant_id is not null;
create index seat_holds_by_external_ref on seat_holds (tenant_id, external_ref, departure_id)
  where status = 'active' and external_ref is not null;
-- For the lists of holds and their filters, in the order of their pages.
create index seat_holds_tenant on seat_holds (tenant_id, created_at);
create index seat_holds_ended on seat_holds (tenant_id, status, created_at, id) where status <> 'active';
create index seat_holds_reference on seat_holds (tenant_id, external_ref, created_at, id) where external_ref is not null;
-- For counts by day over all tenants. Rows are inserted in the order of time, so a BRIN index needs only a few bytes for 128 pages.
create index seat_holds_by_time on seat_holds using brin (created_at);

-- The extensions of holds. Rows are only added. The hold itself stores only its current end.
create table hold_extensions (
  hold_id    uuid        not null references seat_holds (id),
  at         timestamptz not null,
  expires_at timestamptz not null,
  by         text
);
create index hold_extensions_hold on hold_extensions (hold_id);

-- The changes of holds. Rows are only added. The hold itself stores only its current values.
create table hold_changes (
  hold_id uuid        not null references seat_holds (id),
  at      timestamptz not null,
  -- The actor: the id of a key, or an operator.
  by      text,
  -- The values before and after the change by field, such as {"quantity": [2, 3]}; null for a field with personal data. The type json keeps
  -- the order of the fields.
  fields  json        not null
);
create index hold_changes_hold on hold_changes (hold_id);

-- Returns true if the hold keeps its seats at the instant `at`.
create function hold_lives(status text, expires_at timestamptz, at timestamptz) returns boolean
  language sql immutable
  return status = 'active' and expires_at > at;

-- Returns true if the hold has expired at the instant `at`, but is not marked as expired yet.
create function hold_lapsed(status text, expires_at timestamptz, at timestamptz) returns boolean
  language sql immutable
  return status = 'active' and expires_at <= at;
