\set departure random(1, :departures)
BEGIN;
SELECT seats FROM plain.departures WHERE id = :departure FOR UPDATE;
SELECT coalesce(sum(quantity), 0) FROM plain.holds WHERE departure_id = :departure AND status = 'active' AND expires_at > clock_timestamp();
INSERT INTO plain.holds (departure_id, quantity, expires_at, external_ref) VALUES (:departure, 1, clock_timestamp() + interval '10 min', 'x');
COMMIT;
