-- Subscriptions of OCTO (ADR 42): one waiting notification for each product, the key that made a subscription, and the end of removed
-- endpoints. The functions that this file replaces are newer than the last release, so nothing else calls them.

-- A notification about a product: its type and the id of the product, and the dates that it is about. Null: another delivery.
alter table webhook_queue add column notification text;
alter table webhook_queue add column first_date date;
alter table webhook_queue add column last_date date;
create index webhook_queue_notification on webhook_queue (endpoint_id, notification) where notification is not null;

-- The API key that made the subscription, or that gave it its present address. Null: an endpoint that an operator added.
alter table webhook_endpoints add column api_key_id char(12) references api_keys (id);

drop function octo_waiting_notifications(json);

-- Stores notifications about products for the active subscriptions of their tenants. A notification that waits for a subscription is not
-- repeated if it is about the same dates or more. Otherwise the new one replaces it: it is also about the dates of the one that waited, and
-- keeps its tries and its next try. So at most one for each product and type waits for an address that does not answer. If the address
-- has answered since (it has no row in webhook_health), the new one is sent at once. Two transactions at the same moment may each store
-- one, because none waits for the other; the next one replaces both.
-- The function keeps the worker from the notifications that wait, until the transaction ends: so they are sent after its changes. A
-- delivery in flight does not wait. @notifications: rows as `incoming` reads them. The CTEs:
-- - incoming: the notifications, one for each product and type.
-- - target: the subscriptions that get them.
-- - waiting: locks the notifications that wait. Reads no partitioned table (ADR 15).
-- - wanted: the targets for which no notification waits that is enough.
-- - event: the events, each for all subscriptions of its tenant, with the dates of all replaced notifications.
-- - delivery: the deliveries.
-- - unqueued: deletes the queue rows of replaced notifications.
create function octo_notify(notifications json) returns void language plpgsql as $$
declare
  stored_at constant timestamptz := clock_timestamp();
  replaced uuid[];
begin
  with incoming as materialized (
    select n.tenant_id, n.type, n.product_id, n.type || ' ' || n.product_id as notification, min(n.option_id) as option_id,
      min(n.first_date) as first_date, max(n.last_date) as last_date, min(n.traceparent) as traceparent
    from json_to_recordset(notifications) as n (tenant_id uuid, type text, product_id uuid, option_id text, first_date date,
      last_date date, traceparent text)
    group by n.tenant_id, n.type, n.product_id
  ), target as materialized (
    select e.id as endpoint_id, i.*, exists (select from webhook_health h where h.endpoint_id = e.id) as is_failing
    from incoming i
      join webhook_endpoints e on e.tenant_id = i.tenant_id and e.format = 'octo' and e.status = 'active' and i.type = any (e.events)
  ), waiting as materialized (
    select q.*, coalesce(q.first_date <= t.first_date and q.last_date >= t.last_date, true) and (t.is_failing or q.tries = 0) as is_enough
    from target t join webhook_queue q on q.endpoint_id = t.endpoint_id and q.notification = t.notification
    where q.lease_until is null
    for update of q skip locked
  ), wanted as materialized (
    select t.endpoint_id, t.tenant_id, t.type, t.product_id, t.notification, t.option_id, t.traceparent,
      least(t.first_date, w.first_date) as first_date, greatest(t.last_date, w.last_date) as last_date,
      case when t.is_failing then w.next_at end as next_at, case when t.is_failing then w.tries end as tries
    from target t left join (
      select endpoint_id, notification, count(*) = 1 and bool_and(is_enough) as is_enough, min(first_date) as first_date, max(last_date) as last_date,
        min(next_at) as next_at, min(tries) as tries
      from waiting group by endpoint_id, notification
    ) w using (endpoint_id, notification)
    where w.is_enough is not true
  ), event as materialized (
    select webhook_new_id(stored_at) as id, w.tenant_id, w.type, w.notification, w.traceparent,
      min(w.first_date) as first_date, max(w.last_date) as last_date,
      '{"productId":' || to_json(w.product_id) || case when w.option_id is null then '}' else
        ',"optionId":' || to_json(w.option_id) || ',"localDateStart":' || to_json(min(w.first_date)) ||
        ',"localDateEnd":' || to_json(max(w.last_date)) || '}' end as body
    from wanted w group by w.tenant_id, w.type, w.product_id, w.notification, w.option_id, w.traceparent
  ), delivery as materialized (
    select webhook_new_id(stored_at) as id, v.id as event_id, w.endpoint_id, v.tenant_id, v.notification, v.first_date, v.last_date,
      webhook_body('octo', v.type, stored_at, v.body) as body, coalesce(w.next_at, stored_at) as next_at, coalesce(w.tries, 0) as tries
    from event v join wanted w using (tenant_id, notification)
  ), stored_events as (
    insert into webhook_events (id, tenant_id, type, body, created_at, traceparent)
    select id, tenant_id, type, body, stored_at, traceparent from event
  ), stored_deliveries as (
    insert into webhook_deliveries (id, event_id, tenant_id, endpoint_id, body, next_attempt_at, created_at)
    select id, event_id, tenant_id, endpoint_id, body, next_at, stored_at from delivery
  ), queued as (
    insert into webhook_queue (delivery_id, endpoint_id, next_at, tries, notification, first_date, last_date)
    select id, endpoint_id, next_at, tries, notification, first_date, last_date from delivery
  ), unqueued as (
    delete from webhook_queue q using waiting w join wanted using (endpoint_id, notification)
    where q.delivery_id = w.delivery_id
    returning q.delivery_id
  )
  select array_agg(delivery_id) into replaced from unqueued;
  update webhook_deliveries
    set status = 'cancelled', next_attempt_at = null, finished_at = now(),
      last_error = 'A later notification about the same product replaces it.'
    where id = any (replaced);
end $$;

-- Returns a subscription for the audit log, without its secrets.
create function octo_subscription_document(subscription uuid) returns jsonb language sql stable as $$
  select jsonb_build_object('id', e.id, 'tenant', t.slug, 'url', e.url, 'format', e.format, 'events', e.events, 'status', e.status,
    'api_key', e.api_key_id, 'headers', coalesce(h.names, '{}'))
  from webhook_endpoints e join tenants t on t.id = e.tenant_id left join webhook_endpoint_headers h on h.endpoint_id = e.id
  where e.id = subscription
$$;

-- Writes the audit row of a change by an API key. The functions below call it.
create function octo_record_change(subscription uuid, key text, verb text, before jsonb, after jsonb) returns void language sql as $$
  insert into audit_log (actor, host, action, tenant_id, subject, before, after)
  select 'key ' || key, 'api', verb, e.tenant_id, subscription::text, before, after from webhook_endpoints e where e.id = subscription
$$;

drop function octo_add_subscription(uuid, uuid, text, text[], json, json);
drop function octo_change_subscription(uuid, uuid, text, text[]);
drop function octo_change_subscription_headers(uuid, uuid, json);
drop function octo_remove_subscription(uuid, uuid);
delete from database_rights where object in ('function octo_waiting_notifications(json)',
  'function octo_add_subscription(uuid, uuid, text, text[], json, json)', 'function octo_change_subscription(uuid, uuid, text, text[])',
  'function octo_change_subscription_headers(uuid, uuid, json)', 'function octo_remove_subscription(uuid, uuid)');

-- The functions below are the changes that the API may make to endpoints, like those of 0126, with the API key that makes the change.

-- Adds a subscription. @secret and @headers are sealed, as {"id", "key_id", "nonce", "ciphertext"}, the last two in hexadecimal. @headers
-- also has "names". It is null if there are no headers.
create function octo_add_subscription(
  subscription uuid, tenant uuid, key text, address text, types text[], secret json, headers json
) returns void language plpgsql as $$
begin
  insert into webhook_endpoints (id, tenant_id, url, format, events, api_key_id) values (subscription, tenant, address, 'octo', types, key);
  insert into webhook_secrets (id, endpoint_id, key_id, nonce, ciphertext)
    select s.id, subscription, s.key_id, decode(s.nonce, 'hex'), decode(s.ciphertext, 'hex')
    from json_to_record(secret) as s (id uuid, key_id text, nonce text, ciphertext text);
  perform octo_set_subscription_headers(subscription, headers);
  perform octo_record_change(subscription, key, 'webhook.add', null, octo_subscription_document(subscription));
end $$;

-- Changes the address and the types of a subscription. A new address begins without failures, and enables a disabled subscription. A
-- paused one stays paused.
create function octo_change_subscription(subscription uuid, tenant uuid, key text, address text, types text[]) returns void
language plpgsql as $$
declare
  before jsonb := octo_subscription_document(subscription);
begin
  if exists (select from webhook_endpoints where id = subscription and url <> address and format = 'octo' and tenant_id = tenant) then
    delete from webhook_health where endpoint_id = subscription;
    update webhook_endpoints set status = 'active', status_reason = null, status_since = now()
      where id = subscription and status = 'disabled';
  end if;
  update webhook_endpoints set url = address, events = types, api_key_id = case when url = address then api_key_id else key end
    where id = subscription and tenant_id = tenant and format = 'octo' and status <> 'removed' and (url, events) is distinct from (address, types);
  if found then
    perform octo_record_change(subscription, key, 'webhook.set', before, octo_subscription_document(subscription));
  end if;
end $$;

-- Changes the headers of a subscription. With null, it has no headers any more.
create function octo_change_subscription_headers(subscription uuid, tenant uuid, key text, headers json) returns void
language plpgsql as $$
declare
  before jsonb := octo_subscription_document(subscription);
begin
  if exists (select from webhook_endpoints where id = subscription and format = 'octo' and tenant_id = tenant and status <> 'removed') then
    perform octo_set_subscription_headers(subscription, headers);
    perform octo_record_change(subscription, key, 'webhook.set', before, octo_subscription_document(subscription));
  end if;
end $$;

-- Removes a subscription with its secrets and headers. The webhook queue cancels its waiting deliveries.
create function octo_remove_subscription(subscription uuid, tenant uuid, key text) returns void language plpgsql as $$
declare
  before jsonb := octo_subscription_document(subscription);
begin
  update webhook_endpoints set status = 'removed', status_reason = null, status_since = now()
    where id = subscription and tenant_id = tenant and format = 'octo' and status <> 'removed';
  if found then
    delete from webhook_secrets where endpoint_id = subscription;
    delete from webhook_endpoint_headers where endpoint_id = subscription;
    delete from webhook_health where endpoint_id = subscription;
    perform octo_record_change(subscription, key, 'webhook.remove', before, octo_subscription_document(subscription));
  end if;
end $$;

-- Deletes removed endpoints that have no delivery: at most 1,000 of those that were removed in the last day, or before the history begins.
-- The deliveries of the others are dropped with their month. Waits an hour after the removal, because a transaction that began before it
-- may still add a delivery. The role of the queue has no right to delete endpoints.
create function webhook_delete_removed_endpoints(history_from timestamptz) returns integer language plpgsql as $$
declare
  ids uuid[] := array(
    select e.id from webhook_endpoints e
    where e.status = 'removed' and e.status_since < now() - interval '1 hour'
      and (e.status_since > now() - interval '1 day' or e.status_since < history_from)
      -- Reads the index for each endpoint. With `not exists`, the planner may read all deliveries.
      and (select d.id from webhook_deliveries d where d.endpoint_id = e.id limit 1) is null
    limit 1000
  );
begin
  delete from webhook_secrets where endpoint_id = any (ids);
  delete from webhook_endpoint_headers where endpoint_id = any (ids);
  delete from webhook_health where endpoint_id = any (ids);
  delete from webhook_endpoints where id = any (ids);
  return cardinality(ids);
end $$;

do $$
declare
  signature text;
begin
  foreach signature in array array['octo_notify(json)', 'octo_add_subscription(uuid, uuid, text, text, text[], json, json)',
    'octo_change_subscription(uuid, uuid, text, text, text[])', 'octo_change_subscription_headers(uuid, uuid, text, json)',
    'octo_remove_subscription(uuid, uuid, text)', 'webhook_delete_removed_endpoints(timestamptz)']
  loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', signature, current_schema());
    execute format('revoke execute on function %s from public', signature);
  end loop;
end $$;

insert into database_rights (object, role, rights)
values
  ('function octo_notify(json)', 'tour_platform_api', 'execute'),
  ('function octo_notify(json)', 'tour_platform_queue', ''),
  ('function octo_add_subscription(uuid, uuid, text, text, text[], json, json)', 'tour_platform_api', 'execute'),
  ('function octo_add_subscription(uuid, uuid, text, text, text[], json, json)', 'tour_platform_queue', ''),
  ('function octo_change_subscription(uuid, uuid, text, text, text[])', 'tour_platform_api', 'execute'),
  ('function octo_change_subscription(uuid, uuid, text, text, text[])', 'tour_platform_queue', ''),
  ('function octo_change_subscription_headers(uuid, uuid, text, json)', 'tour_platform_api', 'execute'),
  ('function octo_change_subscription_headers(uuid, uuid, text, json)', 'tour_platform_queue', ''),
  ('function octo_remove_subscription(uuid, uuid, text)', 'tour_platform_api', 'execute'),
  ('function octo_remove_subscription(uuid, uuid, text)', 'tour_platform_queue', ''),
  ('function webhook_delete_removed_endpoints(timestamptz)', 'tour_platform_api', ''),
  ('function webhook_delete_removed_endpoints(timestamptz)', 'tour_platform_queue', 'execute');
select grant_database_roles();
