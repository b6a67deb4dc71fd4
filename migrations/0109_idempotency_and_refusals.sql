-- Idempotency and refusals: the stored answers of acknowledged writes, which a repeated request gets again, and the refused requests.

-- Acknowledged writes with an Idempotency-Key, with the exact bytes of the answer. The row and the effect of the write are committed in one
-- transaction, so either both exist or neither.
create table idempotency_keys (
  tenant_id   uuid        not null references tenants (id),
  operation   text        not null,
  key         text        not null constraint idempotency_keys_key_length check (char_length(key) between 1 and 255),
  -- Null: the answer was erased with the data of a person. The key stays used, and repeated requests with the key are refused.
  fingerprint bytea,
  status      smallint,
  -- Text and not jsonb, because jsonb changes the order of keys, and a repeat must get the same bytes.
  answer      text,
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null,
  primary key (tenant_id, operation, key)
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);

-- The number of refused requests by day and code, for operators. Instances of the API write this table and sale_refusals in batches,
-- outside the transactions of sales, so the refusals of the last seconds are lost if a process is killed.
create table sale_refusal_counts (
  day       date    not null,
  tenant_id uuid    not null references tenants (id),
  operation text    not null,
  -- The code of the problem document, such as insufficient_seats.
  code      text    not null,
  count     integer not null constraint sale_refusal_counts_positive check (count > 0),
  primary key (day, tenant_id, operation, code)
);

-- Refused requests with details. If there are very many at once, only the first ones are stored.
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
