-- The webhook queue's own tables; no other service reads or writes them. What is finished stays in events, deliveries and
-- attempts; what is still to be done stands beside it in webhook_queue, which stays small however long the history grows.

-- Ordered by time (UUID version 7), so that lists page by id, inserts land at the end of the index, and a month of history is
-- a range of ids. PostgreSQL has its own only from 18 on.
create function webhook_new_id(at timestamptz default clock_timestamp()) returns uuid
  language sql volatile
  return encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1), 'hex')::uuid;

-- No id of that moment or later is below it.
create function webhook_first_id(at timestamptz) returns uuid
  language sql immutable
  return encode(substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3) || '\x00000000000000000000'::bytea, 'hex')::uuid;

create table webhook_endpoints (
  id            uuid        primary key default webhook_new_id(),
  tenant_id     uuid        not null references tenants (id),
  url           text        not null constraint webhook_endpoints_url_length check (char_length(url) between 1 and 2048),
  -- What a body looks like: exactly the eight fields, these inside Standard Webhooks' frame, or ids alone.
  format        text        not null default 'spec'
                constraint webhook_endpoints_format_known check (format in ('spec', 'standard', 'thin')),
  events        text[]      not null default '{booking.created}'
                constraint webhook_endpoints_events_known
                check (cardinality(events) > 0 and events <@ array['booking.created', 'booking.confirmed', 'booking.cancelled',
                  'booking.expired', 'hold.expired', 'endpoint.disabled']),
  -- Paused by a person; disabled by one, by a 410, or after days without a delivery: both keep what comes in. Removed: only history is left.
  status        text        not null default 'active'
                constraint webhook_endpoints_status_known check (status in ('active', 'paused', 'disabled', 'removed')),
  status_reason text,
  -- Since when it has that status.
  status_since  timestamptz not null default now(),
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

-- History: partitions by month of their ids, made ahead and dropped by retention (webhook_make_month, webhook_drop_month), never
-- deleted row by row. An event and its deliveries are of one moment, so of one month. No foreign key between them: dropping a month
-- would have to prove each of them.
create table webhook_events (
  id          uuid        primary key,
  tenant_id   uuid        not null references tenants (id),
  type        text        not null constraint webhook_events_type_form check (type ~ '^[a-z_]+([.][a-z_]+)*$'),
  booking_ref text,
  -- Text, not jsonb: every try sends these bytes, and jsonb reorders keys.
  body        text        not null,
  created_at  timestamptz not null
) partition by range (id);
create index webhook_events_booking on webhook_events (booking_ref) where booking_ref is not null;

-- One event on its way to one endpoint. Without an endpoint it waits until one is added.
create table webhook_deliveries (
  id               uuid        primary key,
  event_id         uuid        not null,
  tenant_id        uuid        not null references tenants (id),
  endpoint_id      uuid        references webhook_endpoints (id),
  -- The bytes that are sent where the endpoint's format is not the event's own.
  body             text,
  -- "Delivering" is not stored: it is a live lease in webhook_queue, so that a claim writes only there.
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

-- Append only. Numbers are the fences of the claims, so they run without a gap, through lost workers too.
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
  -- A plain sentence for the operator; null where it was delivered.
  reason           text,
  -- Milliseconds of dns, connect, tls, first_byte and body, as far as it came; what a kept connection spared is left out.
  phases           jsonb,
  -- The address that was connected to.
  peer             text,
  -- The webhook-signature header; the other headers of the request follow from the delivery and started_at.
  signature        text,
  response_headers jsonb,
  response_body    text,
  worker           text        not null,
  primary key (delivery_id, number)
) partition by range (delivery_id);

-- The bytes of an event in a format, fixed when its delivery is made; null where they are the event's own. Thin tells what to fetch.
create function webhook_body(format text, type text, at timestamptz, body text) returns text
  language sql immutable
  return case when format <> 'spec' then
    '{"type":' || to_json(type) || ',"timestamp":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":' ||
    case format when 'standard' then body else (
      select '{' || coalesce(string_agg(to_json(k.name) || ':' || (body::json -> k.name), ',' order by k.place), '') || '}'
      from unnest(array['booking_ref', 'lead_id', 'hold_id', 'endpoint']) with ordinality as k (name, place)
      where body::json -> k.name is not null
    ) end || '}'
  end;

-- Unfinished work only. A claim writes columns that no index holds (a HOT update); vacuum comes early, because every
-- claim would walk the dead entries.
create table webhook_queue (
  delivery_id uuid        primary key,
  endpoint_id uuid        not null references webhook_endpoints (id),
  next_at     timestamptz not null default clock_timestamp(),
  -- Tries that count against the schedule.
  tries       integer     not null default 0,
  -- Tries so far that were nobody's fault, as 429 and 503; the first few do not count.
  spared      integer     not null default 0,
  -- An operator retried it, or sent a ping: it does not wait for a breaker, and its failure is not held against the endpoint.
  asked       boolean     not null default false,
  -- Grows with every claim; a result is taken only under the fence it was claimed with.
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

-- A row only while something is wrong: written with a failure, gone with the next success. So what goes well costs nothing here.
create table webhook_health (
  endpoint_id   uuid        primary key references webhook_endpoints (id),
  -- In a row; what asked for patience (429, 503) or was our own doing does not count.
  failures      integer     not null default 0,
  -- Of any kind, since when nothing was delivered.
  failing_since timestamptz not null default now(),
  -- Deliveries that died since then.
  exhausted     integer     not null default 0,
  -- The breaker: how often it opened since the last success, when, and until when nothing is claimed. After that one request at
  -- a time tries whether the endpoint is back.
  openings      integer     not null default 0,
  opened_at     timestamptz,
  blocked_until timestamptz
) with (fillfactor = 50);

-- What the page draws: counts of five minutes. Each worker writes its own rows, as totals, so that writing one twice does no harm.
create table webhook_pulse (
  -- The beginning of the five minutes.
  at           timestamptz not null,
  -- All zeros: the sum over all endpoints.
  endpoint_id  uuid        not null,
  worker       text        not null,
  delivered    integer     not null,
  failed       integer     not null,
  -- Histograms: the nth (from 0) counts what took less than 2^n ms, and not less than half of that. Of each try that got an
  -- answer; and of each delivery, from its event to the 2xx.
  answer_times integer[]   not null,
  waits        integer[]   not null,
  primary key (endpoint_id, at, worker)
) partition by range (at);

-- Who works here; for people and for metrics, no decision depends on it.
create table webhook_workers (
  id         text        primary key,
  started_at timestamptz not null default now(),
  beat_at    timestamptz not null default now(),
  slots      integer     not null,
  in_flight  integer     not null
);

-- Before a month begins its tables stand ready. A row that finds none lands in the default partition and is moved as soon as its
-- month is made, so that no booking ever depends on this.
create table webhook_events_default partition of webhook_events default;
create table webhook_deliveries_default partition of webhook_deliveries default;
create table webhook_attempts_default partition of webhook_attempts default;
create table webhook_pulse_default partition of webhook_pulse default;

-- Attached, not created in place: that would lock the table against every booking. A month that has begun already has rows in the
-- default partition, which no statement may see moving: there the lock is taken. True if it was not there yet.
create function webhook_make_month(month date) returns boolean
  language plpgsql as $$
declare
  begins timestamptz := date_trunc('month', month)::timestamp at time zone 'UTC';
  ends timestamptz := (date_trunc('month', month) + interval '1 month')::timestamp at time zone 'UTC';
  made boolean := false;
  parent text;
  key text;
  low text;
  high text;
  part text;
begin
  foreach parent in array array['webhook_events', 'webhook_deliveries', 'webhook_attempts', 'webhook_pulse'] loop
    part := parent || to_char(month, '"_"YYYY"_"MM');
    continue when to_regclass(part) is not null;
    key := case parent when 'webhook_attempts' then 'delivery_id' when 'webhook_pulse' then 'at' else 'id' end;
    low := case key when 'at' then begins::text else webhook_first_id(begins)::text end;
    high := case key when 'at' then ends::text else webhook_first_id(ends)::text end;
    if begins <= clock_timestamp() then
      execute format('lock table %I in access exclusive mode', parent);
    end if;
    execute format('create table %I (like %I including all)', part, parent);
    execute format('with moved as (delete from %I where %I >= %L and %2$I < %4$L returning *) insert into %I select * from moved',
      parent || '_default', key, low, high, part);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part, low, high);
    made := true;
  end loop;
  return made;
end $$;

-- What still waited in that month waits no longer: it is older than all that is kept. The number of those deliveries.
create function webhook_drop_month(month date) returns integer
  language plpgsql as $$
declare
  ends timestamptz := (date_trunc('month', month) + interval '1 month')::timestamp at time zone 'UTC';
  given_up integer;
  parent text;
begin
  execute format($q$select count(*) from %I where status in ('pending', 'retrying')$q$, 'webhook_deliveries' || to_char(month, '"_"YYYY"_"MM'))
    into given_up;
  foreach parent in array array['webhook_attempts', 'webhook_deliveries', 'webhook_events', 'webhook_pulse'] loop
    execute format('drop table %I', parent || to_char(month, '"_"YYYY"_"MM'));
  end loop;
  -- After the drops, whose locks keep a replay from queueing one of them again in between.
  delete from webhook_queue where delivery_id < webhook_first_id(ends);
  return given_up;
end $$;

select webhook_make_month((date_trunc('month', now() at time zone 'UTC') + make_interval(months => n))::date)
from generate_series(0, 2) as n;

-- The monitoring page: a link that is good once within five minutes, and the session that it opens. Digests alone are kept.
create table webhook_monitor_sessions (
  id             uuid        primary key default gen_random_uuid(),
  -- Who asked for the link at the terminal, and on which machine.
  operator       text        not null,
  host           text        not null,
  link_digest    bytea       not null unique,
  link_expires_at timestamptz not null,
  -- Null until the link was used; a link without a session after that cannot be used again.
  session_digest bytea       unique,
  expires_at     timestamptz,
  created_at     timestamptz not null default now()
);
