-- Notifications of OCTO (ADR 42): a reseller subscribes by the API, and the webhook queue sends to its address. A subscription is an
-- endpoint with the format `octo`.

alter table webhook_endpoints drop constraint webhook_endpoints_format_known;
alter table webhook_endpoints add constraint webhook_endpoints_format_known check (format in ('spec', 'standard', 'thin', 'octo'));

alter table webhook_endpoints drop constraint webhook_endpoints_events_known;
alter table webhook_endpoints add constraint webhook_endpoints_events_known
  check (cardinality(events) > 0 and events <@ array['booking.created', 'booking.confirmed', 'booking.updated', 'booking.cancelled',
    'booking.expired', 'booking.payment_due', 'hold.expired', 'departure.cancelled', 'departure.updated', 'endpoint.disabled',
    'octo.product_update', 'octo.availability_update', 'octo.booking_update']);
alter table webhook_endpoints add constraint webhook_endpoints_events_of_octo
  check (format = 'octo' or not events && array['octo.product_update', 'octo.availability_update', 'octo.booking_update']);

-- The headers that a subscriber wants in each request, such as a password of its own. JSON with their names and values is sealed with
-- AES-256-GCM, like a signing secret.
create table webhook_endpoint_headers (
  endpoint_id uuid   primary key references webhook_endpoints (id),
  -- The names as the subscriber wrote them, so that a list shows them without the values.
  names       text[] not null constraint webhook_endpoint_headers_some check (cardinality(names) > 0),
  id          uuid   not null,
  key_id      text   not null,
  nonce       bytea  not null constraint webhook_endpoint_headers_nonce_length check (octet_length(nonce) = 12),
  ciphertext  bytea  not null
);

-- The changes of the catalog that were sent to the subscribers of a tenant: all before as_of, and the pages of later ones up to position.
create table octo_catalog_reads (
  tenant_id uuid        primary key references tenants (id),
  as_of     timestamptz not null,
  -- The last page that was sent, as the catalog describes it. Null: no later change was sent.
  position  json
);

-- Returns the UUID of the OCTO booking that an event of a booking or hold is about; null if REST or the terminal made the booking. Runs with
-- the rights of the owner, because the webhook queue may not read bookings.
create function octo_booking_uuid(body text) returns uuid language sql stable as $$
  select o.uuid from octo_bookings o
  where o.hold_id = coalesce((body::json ->> 'hold_id')::uuid,
    (select l.hold_id from booking_leads l where l.id = (body::json ->> 'lead_id')::bigint));
$$;

-- Returns the body of a notification: its type, its time, and the ids to read. Null for a hold or booking that OCTO did not make. The type
-- octo.booking_update is about a hold, and has its id only.
create function octo_notification(type text, at timestamptz, body text) returns text language sql stable as $$
  select '{"type":' || to_json(n.type) || ',"timestamp":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":' || n.data || '}'
  from (
    select case when type like 'octo.%' then upper(substr(type, 6)) else type end as type, body as data
      where type in ('octo.product_update', 'octo.availability_update', 'ping')
    union all
    select 'BOOKING_UPDATE', '{"uuid":' || to_json(octo_booking_uuid(body)) || '}'
      where type not in ('octo.product_update', 'octo.availability_update', 'ping') and octo_booking_uuid(body) is not null
  ) n;
$$;

-- Returns the body for one endpoint, like the function of 0115, also in the format `octo`.
create or replace function webhook_body(format text, type text, at timestamptz, body text) returns text
  language sql stable
  return case when format = 'octo' then octo_notification(type, at, body) when format <> 'spec' then
    '{"type":' || to_json(type) || ',"timestamp":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":' ||
    case format when 'standard' then body else (
      select '{' || coalesce(string_agg(to_json(k.name) || ':' || (body::json -> k.name), ',' order by k.place), '') || '}'
      from unnest(case when type like 'departure.%' then array['tour', 'departure_date', 'departure_time', 'booking_refs']
                       else array['booking_ref', 'lead_id', 'hold_id', 'endpoint'] end) with ordinality as k (name, place)
      where body::json -> k.name is not null
    ) end || '}'
  end;

-- Returns the notifications of @events that already wait for a subscription, and keeps the worker from them until the transaction ends: so
-- they are sent after the changes of this transaction. A delivery in flight does not wait. @events: the bindings of INSERT_EVENTS.
create function octo_waiting_notifications(events json) returns table (endpoint_id uuid, type text, body text) language sql as $$
  select q.endpoint_id, ev.type, ev.body
  from json_to_recordset(events) as i (tenant_id uuid, type text, body text)
    join webhook_endpoints e on e.tenant_id = i.tenant_id and e.format = 'octo' and e.status = 'active'
    join webhook_queue q on q.endpoint_id = e.id and (q.lease_until is null or q.lease_until < now())
    join webhook_deliveries d on d.id = q.delivery_id
    join webhook_events ev on ev.id = d.event_id and ev.type = i.type and ev.body = i.body
  for update of q skip locked
$$;

-- The functions below are the changes that the API may make to endpoints. Its role has no right to write the tables, so it can change
-- subscriptions and nothing else.

-- Adds a subscription. @secret and @headers are sealed, as {"id", "key_id", "nonce", "ciphertext"}, the last two in hexadecimal. @headers
-- also has "names". It is null if there are no headers.
create function octo_add_subscription(subscription uuid, tenant uuid, address text, types text[], secret json, headers json) returns void
language plpgsql as $$
begin
  insert into webhook_endpoints (id, tenant_id, url, format, events) values (subscription, tenant, address, 'octo', types);
  insert into webhook_secrets (id, endpoint_id, key_id, nonce, ciphertext)
    select s.id, subscription, s.key_id, decode(s.nonce, 'hex'), decode(s.ciphertext, 'hex')
    from json_to_record(secret) as s (id uuid, key_id text, nonce text, ciphertext text);
  perform octo_set_subscription_headers(subscription, headers);
end $$;

-- Replaces the headers of a subscription. The functions that add and change a subscription call it.
create function octo_set_subscription_headers(subscription uuid, headers json) returns void language plpgsql as $$
begin
  delete from webhook_endpoint_headers where endpoint_id = subscription;
  insert into webhook_endpoint_headers (endpoint_id, names, id, key_id, nonce, ciphertext)
    select subscription, h.names, h.id, h.key_id, decode(h.nonce, 'hex'), decode(h.ciphertext, 'hex')
    from json_to_record(headers) as h (names text[], id uuid, key_id text, nonce text, ciphertext text)
    where headers is not null;
end $$;

-- Changes the address and the types of a subscription. A new address begins without failures, and enables a disabled subscription. A
-- paused one stays paused.
create function octo_change_subscription(subscription uuid, tenant uuid, address text, types text[]) returns void
language plpgsql as $$
begin
  if exists (select from webhook_endpoints where id = subscription and url <> address and format = 'octo' and tenant_id = tenant) then
    delete from webhook_health where endpoint_id = subscription;
    update webhook_endpoints set status = 'active', status_reason = null, status_since = now()
      where id = subscription and status = 'disabled';
  end if;
  update webhook_endpoints set url = address, events = types
    where id = subscription and tenant_id = tenant and format = 'octo' and status <> 'removed';
end $$;

-- Changes the headers of a subscription. With null, it has no headers any more.
create function octo_change_subscription_headers(subscription uuid, tenant uuid, headers json) returns void language plpgsql as $$
begin
  if exists (select from webhook_endpoints where id = subscription and format = 'octo' and tenant_id = tenant and status <> 'removed') then
    perform octo_set_subscription_headers(subscription, headers);
  end if;
end $$;

-- Removes a subscription with its secrets and headers. The webhook queue cancels its waiting deliveries.
create function octo_remove_subscription(subscription uuid, tenant uuid) returns void language plpgsql as $$
begin
  update webhook_endpoints set status = 'removed', status_reason = null, status_since = now()
    where id = subscription and tenant_id = tenant and format = 'octo' and status <> 'removed';
  if found then
    delete from webhook_secrets where endpoint_id = subscription;
    delete from webhook_endpoint_headers where endpoint_id = subscription;
    delete from webhook_health where endpoint_id = subscription;
  end if;
end $$;

do $$
declare
  signature text;
begin
  foreach signature in array array['octo_add_subscription(uuid, uuid, text, text[], json, json)',
    'octo_change_subscription(uuid, uuid, text, text[])', 'octo_change_subscription_headers(uuid, uuid, json)',
    'octo_remove_subscription(uuid, uuid)', 'octo_booking_uuid(text)', 'octo_waiting_notifications(json)']
  loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', signature, current_schema());
    execute format('revoke execute on function %s from public', signature);
  end loop;
end $$;

insert into database_rights (object, role, rights)
values
  ('webhook_endpoint_headers', 'tour_platform_api', 'select (endpoint_id, names)'),
  ('webhook_endpoint_headers', 'tour_platform_queue', 'select, delete'),
  ('octo_catalog_reads', 'tour_platform_api', 'select, insert, update'),
  ('octo_catalog_reads', 'tour_platform_queue', ''),
  ('function octo_add_subscription(uuid, uuid, text, text[], json, json)', 'tour_platform_api', 'execute'),
  ('function octo_add_subscription(uuid, uuid, text, text[], json, json)', 'tour_platform_queue', ''),
  ('function octo_change_subscription(uuid, uuid, text, text[])', 'tour_platform_api', 'execute'),
  ('function octo_change_subscription(uuid, uuid, text, text[])', 'tour_platform_queue', ''),
  ('function octo_change_subscription_headers(uuid, uuid, json)', 'tour_platform_api', 'execute'),
  ('function octo_change_subscription_headers(uuid, uuid, json)', 'tour_platform_queue', ''),
  ('function octo_remove_subscription(uuid, uuid)', 'tour_platform_api', 'execute'),
  ('function octo_remove_subscription(uuid, uuid)', 'tour_platform_queue', ''),
  ('function octo_booking_uuid(text)', 'tour_platform_api', 'execute'),
  ('function octo_booking_uuid(text)', 'tour_platform_queue', 'execute'),
  ('function octo_waiting_notifications(json)', 'tour_platform_api', 'execute'),
  ('function octo_waiting_notifications(json)', 'tour_platform_queue', '');
select grant_database_roles();
