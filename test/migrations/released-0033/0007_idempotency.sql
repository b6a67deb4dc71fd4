-- A write that was acknowledged under an Idempotency-Key, with the exact bytes of its answer. The row and the effect commit in one
-- transaction, so either both exist or neither.
create table idempotency_keys (
  tenant_id   uuid        not null references tenants (id),
  operation   text        not null,
  key         text        not null constraint idempotency_keys_key_length check (char_length(key) between 1 and 255),
  -- Null: the data of the request's person was erased. The key stays used, and its requests get a refusal.
  fingerprint bytea,
  status      smallint,
  -- Text, not jsonb: jsonb reorders keys, and a repeat answers with equal bytes.
  answer      text,
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null,
  primary key (tenant_id, operation, key)
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);
