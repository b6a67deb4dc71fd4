\set departure random(1, :departures)
\set k random(1, 2000000000)
\set j random(1, 2000000000)
BEGIN;
INSERT INTO plain.idempotency (key, fingerprint) VALUES (concat((:k)::bigint, '-', (:j)::bigint), 'f') ON CONFLICT DO NOTHING;
SELECT seats FROM plain.departures WHERE id = :departure FOR UPDATE;
SELECT coalesce(sum(quantity), 0) FROM plain.holds WHERE departure_id = :departure AND status = 'active' AND expires_at > clock_timestamp();
INSERT INTO plain.leads (departure_id, adults, name, phone, email, external_ref, total) VALUES (:departure, 1, 'Ana Lima', '+4930901820', 'ana@example.com', 'x', 100);
WITH event AS (INSERT INTO plain.events (lead_id, body) VALUES (1, '{"event_type":"booking.created","booking_ref":"DEMO-1002","source":"tenant_api"}') RETURNING id) INSERT INTO plain.deliveries (event_id) SELECT id FROM event;
UPDATE plain.idempotency SET answer = '{"ok": true, "booking_ref":"DEMO-1002"}' WHERE key = concat((:k)::bigint, '-', (:j)::bigint);
COMMIT;
