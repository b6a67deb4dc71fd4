-- The webhook queue's own tables; no other service reads or writes them. What is finished stays in events, deliveries and
-- attempts; what is still to be done stands beside it in webhook_queue, which stays small however long the history grows.

-- Ordered by time (UUID version 7), so that lists page by id and inserts land at the end of the index. PostgreSQL has its
-- own only from 18 on.
create function webhook_new_id() returns uuid
  language sql volatile
  return encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1), 'hex')::uuid;

create table webhook_endpoints (
  id            uuid        primary key default webhook_new_id(),
  tenant_id     uuid        not null references tenants (id),
  url           text        not null constraint webhook_endpoints_url_length check (char_length(url) between 1 and 2048),
  -- What a body looks like; spec is exactly the eight fields.
  format        text        not null default 'spec' constraint webhook_endpoints_format_known check (format in ('spec')),
  events        text[]      not null default '{booking.created}'
                constraint webhook_endpoints_events_known
                check (cardinality(events) > 0 and events <@ array['booking.created', 'booking.confirmed', 'booking.cancelled',
                  'booking.expired', 'hold.expired', 'endpoint.disabled']),
  -- Paused by a person, disabled by what the receiver answered: both keep what comes in. Removed: only history is left.
  status        text        not null default 'active'
                constraint webhook_endpoints_status_known check (status in ('active', 'paused', 'disabled', 'removed')),
  status_reason text,
  created_at    timestamptz not null default now()
);
create index webhook_endpoints_tenant on webhook_endpoints (tenant_id) where status <> 'removed';

-- Sealed with AES-256-GCM under a key derived from SECRETS_KEY; key_id says which. Every unexpired one signs.
create table webhook_secrets (
  id          uuid        primary key,
  endpoint_id uuid        not null references webhook_endpoints (id),
  key_id      text        not null,
  nonce       bytea       not null constraint webhook_secrets_nonce_length check (octet_length(nonce) = 12),
  ciphertext  bytea       not null,
  created_at  timestamptz not null default clock_timestamp(),
  expires_at  timestamptz
);
create index webhook_secrets_endpoint on webhook_secrets (endpoint_id);

create table webhook_events (
  id          uuid        primary key default webhook_new_id(),
  tenant_id   uuid        not null references tenants (id),
  type        text        not null constraint webhook_events_type_form check (type ~ '^[a-z_]+([.][a-z_]+)*$'),
  booking_ref text,
  -- Text, not jsonb: every try sends these bytes, and jsonb reorders keys.
  body        text        not null,
  created_at  timestamptz not null default clock_timestamp()
);

-- One event on its way to one endpoint. Without an endpoint it waits until one is added.
create table webhook_deliveries (
  id               uuid        primary key default webhook_new_id(),
  event_id         uuid        not null references webhook_events (id),
  tenant_id        uuid        not null,
  endpoint_id      uuid        references webhook_endpoints (id),
  -- "Delivering" is not stored: it is a live lease in webhook_queue, so that a claim writes only there.
  status           text        not null default 'pending'
                   constraint webhook_deliveries_status_known
                   check (status in ('pending', 'delivered', 'retrying', 'dead', 'cancelled')),
  attempts         integer     not null default 0,
  next_attempt_at  timestamptz,
  last_status_code smallint,
  last_error       text,
  created_at       timestamptz not null default clock_timestamp(),
  finished_at      timestamptz,
  constraint webhook_deliveries_sent_somewhere check (endpoint_id is not null or status = 'pending')
);
create index webhook_deliveries_waiting on webhook_deliveries (tenant_id) where endpoint_id is null;
create index webhook_deliveries_tenant on webhook_deliveries (tenant_id, id);
create index webhook_deliveries_endpoint on webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_undelivered on webhook_deliveries (status, id) where status <> 'delivered';

-- Append only. Numbers are the fences of the claims, so they run without a gap, through lost workers too.
create table webhook_attempts (
  delivery_id   uuid        not null references webhook_deliveries (id),
  number        integer     not null constraint webhook_attempts_number_positive check (number > 0),
  started_at    timestamptz not null,
  duration_ms   integer     not null,
  outcome       text        not null
                constraint webhook_attempts_outcome_known
                check (outcome in ('delivered', 'http_error', 'redirect', 'gone', 'timeout', 'dns', 'connection', 'tls', 'blocked',
                  'unsealable', 'interrupted', 'cancelled', 'worker_lost')),
  status_code   smallint,
  -- A plain sentence for the operator; null where it was delivered.
  reason        text,
  response_body text,
  worker        text        not null,
  primary key (delivery_id, number)
);

-- Unfinished work only. A claim writes columns that no index holds (a HOT update); vacuum comes early, because every
-- claim would walk the dead entries.
create table webhook_queue (
  delivery_id uuid        primary key references webhook_deliveries (id),
  endpoint_id uuid        not null references webhook_endpoints (id),
  next_at     timestamptz not null default clock_timestamp(),
  -- Tries that count against the schedule.
  tries       integer     not null default 0,
  -- Answers 429 and 503 so far; the first few do not count as tries.
  throttled   integer     not null default 0,
  -- Grows with every claim; a result is taken only under the fence it was claimed with.
  fence       integer     not null default 0,
  worker      text,
  claimed_at  timestamptz,
  lease_until timestamptz,
  constraint webhook_queue_lease_whole check (num_nulls(worker, claimed_at, lease_until) in (0, 3))
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0
);
create index webhook_queue_due on webhook_queue (endpoint_id, next_at);
