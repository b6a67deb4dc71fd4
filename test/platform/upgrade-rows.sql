-- Rows in every table of a database at 0114 or later, except change_marks, whose rows end with their transaction.
insert into tenants (id, slug, name, booking_prefix, country, currency, currency_digits)
values ('11111111-1111-4111-8111-111111111111', 'acme', 'Acme Travel', 'ACME', 'DE', 'EUR', 2);
insert into tenants (slug, name, booking_prefix, country, currency, currency_digits, sandbox)
values ('sandbox', 'Acme Sandbox', 'SAND', 'DE', 'EUR', 2, true);
insert into api_keys (id, tenant_id, family_id, scopes, digest, digest_alg)
values ('abcdefghijkl', '11111111-1111-4111-8111-111111111111', 'abcdefghijkl', '{booking:create}', decode(repeat('00', 32), 'hex'), 'sha256');
insert into widget_tokens (id, tenant_id, family_id, digest, digest_alg)
values ('mnopqrstuvwx', '11111111-1111-4111-8111-111111111111', 'mnopqrstuvwx', decode(repeat('11', 32), 'hex'), 'sha256');
insert into secret_checks (variable) values ('SECRETS_KEY');

insert into tours (slug, name, name_folded, continent, country, duration_days, currency, currency_digits, base_price_minor, tags)
select 'tour-' || n, 'Tour ' || n, 'tour ' || n, 'asia', 'VN', 3, 'EUR', 2, 50000, '{river}' from generate_series(1, 3) as n;
insert into departures (tour_id, departure_date, seats_total, prices_minor)
select id, date '2040-01-01' + days, 20, '{"adult": 50000, "child": 30000}' from tours, generate_series(1, 3) as days;
update tours set name = 'The first tour' where slug = 'tour-1';
insert into tour_imports (tour_id, digest, exact, departures) select id, '\x00', true, 3 from tours;
insert into demo_tours (tour_id, updated_at) select id, updated_at from tours;
insert into next_departures (tour_id, continent, sort_key, computed_at, open_until)
select id, continent, next_departure_key('2040-01-02', name_folded, id), now(), 'infinity' from tours;
insert into visibility_tour_rules (tenant_id, tour_id, visible, continent, name_folded)
select '11111111-1111-4111-8111-111111111111', id, true, continent, name_folded from tours;
insert into visibility_continent_rules (tenant_id, continent, visible)
values ('11111111-1111-4111-8111-111111111111', 'asia', true);
insert into price_rules (tenant_id, kind, percent) values ('11111111-1111-4111-8111-111111111111', 'percent', 10);

insert into seat_holds (tenant_id, departure_id, quantity, hold_minutes, expires_at, unit_price_minor, currency, currency_digits,
  price_breakdown)
select '11111111-1111-4111-8111-111111111111', id, 2, 60, now() + interval '1 hour', 50000, 'EUR', 2, '{}' from departures;
insert into hold_extensions (hold_id, at, expires_at) select id, now(), expires_at from seat_holds;
insert into hold_changes (hold_id, at, fields) select id, now(), '{"quantity": [1, 2]}' from seat_holds;
insert into booking_leads (booking_ref, tenant_id, tour_id, departure_id, departure_date, adults, children, unit_price_minor,
  child_price_minor, total_minor, deposit_minor, currency, currency_digits, price_breakdown, payment_method, customer_name,
  customer_phone, customer_email)
select 'ACME-' || row_number() over (), '11111111-1111-4111-8111-111111111111', tour_id, id, departure_date, 2, 1, 50000,
  30000, 130000, 26000, 'EUR', 2, '{}', 'bank', 'Ana Lima', '+4930901820', 'ana@example.com'
from departures;
update booking_leads set status = 'confirmed', confirmed_at = now() where id % 2 = 0;
insert into booking_changes (lead_id, at, fields) select id, now(), '{"adults": [1, 2]}' from booking_leads;
insert into octo_bookings (tenant_id, uuid, hold_id, contact, unit_items, updated_at)
select tenant_id, id, id, '{}', '[{"unitId": "adult"}]', now() from seat_holds;
insert into sale_refusal_counts (day, tenant_id, operation, code, count)
values ('2026-01-01', '11111111-1111-4111-8111-111111111111', 'hold', 'insufficient_seats', 3);
insert into sale_refusals (at, tenant_id, operation, code, request_id)
values (now(), '11111111-1111-4111-8111-111111111111', 'hold', 'insufficient_seats', 'a-request');
insert into idempotency_keys (tenant_id, operation, key, fingerprint, status, answer, expires_at)
values ('11111111-1111-4111-8111-111111111111', 'hold', 'a-key', '\x00', 201, '{}', now() + interval '1 day');
insert into audit_log (actor, host, action, tenant_id, subject, after)
values ('ana', 'laptop', 'tenant.create', '11111111-1111-4111-8111-111111111111', 'acme', '{"name": "Acme Travel"}');

insert into webhook_endpoints (tenant_id, url) values ('11111111-1111-4111-8111-111111111111', 'https://acme.example/webhook');
insert into webhook_secrets (id, endpoint_id, key_id, nonce, ciphertext)
select webhook_new_id(), id, 'a-key', decode(repeat('00', 12), 'hex'), '\x00' from webhook_endpoints;
-- One event of this month, and one of a month that has no table.
insert into webhook_events (id, tenant_id, type, booking_ref, body, created_at)
select webhook_new_id(at), '11111111-1111-4111-8111-111111111111', 'booking.created', 'ACME-1', '{}', at
from unnest(array[now(), '2020-05-05']) as at;
insert into webhook_deliveries (id, event_id, tenant_id, endpoint_id, next_attempt_at, created_at)
select webhook_new_id(e.created_at), e.id, e.tenant_id, p.id, e.created_at, e.created_at from webhook_events e, webhook_endpoints p;
insert into webhook_attempts (delivery_id, number, started_at, duration_ms, outcome, worker)
select id, 1, created_at, 5, 'timeout', 'a-worker' from webhook_deliveries;
insert into webhook_queue (delivery_id, endpoint_id) select id, endpoint_id from webhook_deliveries;
insert into webhook_health (endpoint_id) select id from webhook_endpoints;
insert into webhook_pulse (at, endpoint_id, worker, delivered, failed, answer_times, waits)
select at, id, 'a-worker', 1, 0, '{1}', '{1}' from webhook_endpoints, unnest(array[now(), '2020-05-05']) as at;
insert into webhook_workers (id, slots, in_flight) values ('a-worker', 8, 0);
insert into webhook_monitor_sessions (operator, host, link_digest, link_expires_at) values ('ana', 'laptop', '\x00', now());

insert into api_instances (id, seen_version, poll) values (gen_random_uuid(), 1, 1);
insert into catalog_restores values ('2026-01-01', '2026-01-02');
