-- The webhook queue. The history is in events, deliveries and attempts. The unfinished work is in webhook_queue, which stays small while
-- the history grows. The API only adds events, deliveries and their queue rows.

-- Returns a UUID of version 7. Such ids are ordered by time: lists can continue after an id, inserts go to the end of the index, and a
-- month of history is a range of ids. PostgreSQL has such a function only from version 18 on.
create function webhook_new_id(at timestamptz default clock_timestamp()) returns uuid
  language sql volatile
  return encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1), 'hex')::uuid;

-- Returns the smallest id that webhook_new_id can create at the time `at` or later.
create function webhook_first_id(at timestamptz) returns uuid
  language sql immutable
  return encode(substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3) || '\x00000000000000000000'::bytea, 'hex')::uuid;

-- The addresses to which the webhooks of tenants are sent.
create table webhook_endpoints (
  id            uuid        primary key default webhook_new_id(),
  tenant_id     uuid        not null references tenants (id),
  url           text        not null constraint webhook_endpoints_url_length check (char_length(url) between 1 and 2048),
  -- The format of the bodies. spec: the fields of the event; standard: these fields inside the envelope of Standard Webhooks; thin: this
  -- envelope with ids only.
  format        text        not null default 'spec'
                constraint webhook_endpoints_format_known check (format in ('spec', 'standard', 'thin')),
  events        text[]      not null default '{booking.created}'
                constraint webhook_endpoints_events_known
                check (cardinality(events) > 0 and events <@ array['booking.created', 'booking.confirmed', 'booking.updated',
                  'booking.cancelled', 'booking.expired', 'hold.expired', 'departure.cancelled', 'departure.updated',
                  'endpoint.disabled']),
  -- Only an operator pauses an endpoint. An operator, an answer 410, or days without a successful delivery disable it. Deliveries to a
  -- paused or disabled endpoint wait. A removed endpoint has only its history.
  status        text        not null default 'active'
                constraint webhook_endpoints_status_known check (status in ('active', 'paused', 'disabled', 'removed')),
  status_reason text,
  -- The time at which the current status began.
  status_since  timestamptz not null default now(),
  created_at    timestamptz not null default now()
);
create index webhook_endpoints_tenant on webhook_endpoints (tenant_id) where status <> 'removed';

-- The secrets of endpoints, sealed with AES-256-GCM. key_id names the key, which is derived from SECRETS_KEY. A delivery is signed with
-- every secret of its endpoint that has not expired.
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

-- The events of tenants, with the bytes to send. Events, deliveries and attempts have partitions by month, according to the ids. Partitions
-- are created ahead and dropped as a whole (0112), so that no single rows need be deleted. An event and its deliveries have the same
-- time, so they are in the same month. There is no foreign key between them, because dropping a month would then have to check each row.
create table webhook_events (
  id          uuid        primary key,
  tenant_id   uuid        not null references tenants (id),
  type        text        not null constraint webhook_events_type_form check (type ~ '^[a-z_]+([.][a-z_]+)*$'),
  booking_ref text,
  -- Text and not jsonb, because jsonb changes the order of keys, and every attempt must send the same bytes.
  body        text        not null,
  created_at  timestamptz not null
) partition by range (id);
create index webhook_events_booking on webhook_events (booking_ref) where booking_ref is not null;

-- The deliveries: one event to one endpoint each. A delivery without an endpoint waits until the tenant has one.
create table webhook_deliveries (
  id               uuid        primary key,
  event_id         uuid        not null,
  tenant_id        uuid        not null references tenants (id),
  endpoint_id      uuid        references webhook_endpoints (id),
  -- The bytes to send. Null: the body of the event.
  body             text,
  -- There is no status for a delivery that is being sent: it has a live lease in webhook_queue, so that a claim writes only that table.
  status           text        not null default 'pending'
                   constraint webhook_deliveries_status_known
                   check (status in ('pending', 'delivered', 'retrying', 'dead', 'cancelled')),
  attempts         integer     not null default 0,
  next_attempt_at  timestamptz,
  last_status_code smallint,
  last_error       text,
  created_at       timestamptz not null,
  finished_at      timestamptz,
  constraint webhook_deliveries_sent_somewhere check (endpoint_id is not null or status = 'pending')
) partition by range (id);
create index webhook_deliveries_waiting on webhook_deliveries (tenant_id) where endpoint_id is null;
create index webhook_deliveries_tenant on webhook_deliveries (tenant_id, id);
create index webhook_deliveries_endpoint on webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_undelivered on webhook_deliveries (status, id) where status <> 'delivered';

-- The attempts to send deliveries. Rows are only added. The number of an attempt is the fence token of its claim. So the numbers of a
-- delivery have no gap, even after a worker was lost.
create table webhook_attempts (
  delivery_id      uuid        not null,
  number           integer     not null constraint webhook_attempts_number_positive check (number > 0),
  started_at       timestamptz not null,
  duration_ms      integer     not null,
  outcome          text        not null
                   constraint webhook_attempts_outcome_known
                   check (outcome in ('delivered', 'http_error', 'redirect', 'gone', 'timeout', 'dns', 'connection', 'tls', 'blocked',
                     'unsealable', 'interrupted', 'hung_up', 'cancelled', 'worker_lost')),
  status_code      smallint,
  -- The reason of a failure, as a sentence for the operator. Null: the attempt delivered the event.
  reason           text,
  -- The milliseconds of the phases dns, connect, tls, first_byte and body. Phases that the attempt did not reach, or that a reused
  -- connection does not have, are missing.
  phases           jsonb,
  -- The IP address of the connection.
  peer             text,
  -- The webhook-signature header; the other headers of the request follow from the delivery and started_at.
  signature        text,
  response_headers jsonb,
  response_body    text,
  worker           text        not null,
  primary key (delivery_id, number)
) partition by range (delivery_id);

-- Returns the body of an event in the format of an endpoint; null for `spec`, whose body is that of the event. It is called when the
-- delivery is created. A thin body names the object to fetch: for an event of a departure, the departure and its bookings.
create function webhook_body(format text, type text, at timestamptz, body text) returns text
  language sql immutable
  return case when format <> 'spec' then
    '{"type":' || to_json(type) || ',"timestamp":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":' ||
    case format when 'standard' then body else (
      select '{' || coalesce(string_agg(to_json(k.name) || ':' || (body::json -> k.name), ',' order by k.place), '') || '}'
      from unnest(case when type like 'departure.%' then array['tour', 'departure_date', 'booking_refs']
                       else array['booking_ref', 'lead_id', 'hold_id', 'endpoint'] end) with ordinality as k (name, place)
      where body::json -> k.name is not null
    ) end || '}'
  end;

-- The unfinished deliveries. A claim updates only columns without an index (a HOT update). Vacuum runs often, because every claim also
-- reads the dead entries of the index.
create table webhook_queue (
  delivery_id uuid        primary key,
  endpoint_id uuid        not null references webhook_endpoints (id),
  next_at     timestamptz not null default clock_timestamp(),
  -- The number of attempts that count for the retry schedule.
  tries       integer     not null default 0,
  -- The number of attempts that were throttled (429, 503), or whose kept connection was already closed. The first three do not count in
  -- tries.
  spared      integer     not null default 0,
  -- True: an operator asked for this delivery (a retry or a ping). It ignores the breaker, and its failure does not count for the endpoint.
  asked       boolean     not null default false,
  -- Grows with every claim. A result is recorded only under the fence of its claim.
  fence       integer     not null default 0,
  worker      text,
  claimed_at  timestamptz,
  lease_until timestamptz,
  constraint webhook_queue_lease_whole check (num_nulls(worker, claimed_at, lease_until) in (0, 3))
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0
);
create index webhook_queue_due on webhook_queue (endpoint_id, next_at);
create index webhook_queue_asked on webhook_queue (delivery_id) where asked;

-- The health of failing endpoints. The first failure inserts the row, and the next success deletes it, so a healthy endpoint has none.
create table webhook_health (
  endpoint_id   uuid        primary key references webhook_endpoints (id),
  -- The number of failures in a row. Throttled attempts (429, 503), and attempts that this service refused or cut off, do not count.
  failures      integer     not null default 0,
  -- The time of the first failure of any kind since the last success.
  failing_since timestamptz not null default now(),
  -- The number of deliveries that have become dead since failing_since.
  exhausted     integer     not null default 0,
  -- The breaker: the number of openings since the last success, the time of the last one, and the end of the pause. After it, one
  -- request at a time probes the endpoint.
  openings      integer     not null default 0,
  opened_at     timestamptz,
  blocked_until timestamptz
) with (fillfactor = 50);

-- Statistics of five minutes each, for the charts of the monitoring page. Each worker writes its own rows. It writes totals, so that a
-- repeated write does no harm.
create table webhook_pulse (
  -- The beginning of the five minutes.
  at           timestamptz not null,
  -- The nil UUID: the sum over all endpoints.
  endpoint_id  uuid        not null,
  worker       text        not null,
  delivered    integer     not null,
  failed       integer     not null,
  -- Histograms: bin n (from 0) counts durations from 2^(n-1) to below 2^n ms. answer_times: each attempt that got an answer. waits:
  -- each delivery, from its event to the 2xx.
  answer_times integer[]   not null,
  waits        integer[]   not null,
  primary key (endpoint_id, at, worker)
) partition by range (at);

-- Lists the running workers, for people and metrics. No decision reads this table.
create table webhook_workers (
  id         text        primary key,
  started_at timestamptz not null default now(),
  beat_at    timestamptz not null default now(),
  slots      integer     not null,
  in_flight  integer     not null
);

-- The tables of a month are created before the month begins. If they are missing, new rows go to the default partitions, so that bookings
-- do not fail. When the tables are created, these rows are moved to them.
create table webhook_events_default partition of webhook_events default;
create table webhook_deliveries_default partition of webhook_deliveries default;
create table webhook_attempts_default partition of webhook_attempts default;
create table webhook_pulse_default partition of webhook_pulse default;

-- The sign-ins to the monitoring page: a link that can be used once within five minutes, and the session that it opens. Only digests of the
-- link and the session are stored.
create table webhook_monitor_sessions (
  id             uuid        primary key default gen_random_uuid(),
  -- The operator who created the link at the terminal, and the machine.
  operator       text        not null,
  host           text        not null,
  link_digest    bytea       not null unique,
  link_expires_at timestamptz not null,
  -- Null: the link has not been used yet. A used link cannot be used again.
  session_digest bytea       unique,
  expires_at     timestamptz,
  created_at     timestamptz not null default now()
);
