-- Rows in the tables that came after 0116, and other forms of rows, in a database at 0130 or later that has the rows of upgrade-rows.sql.
-- No process runs any more.
delete from api_instances;
delete from webhook_workers;
insert into exchange_rates (currency, units_per_eur, rate_date, known_from) values ('CHF', 0.95, '2026-01-02', 1);
update tours set translations = '{"de": {"name": "Reise", "tags": ["Fluss"]}}', translation_names = '{"de": "reise"}' where slug = 'tour-1';
update tours set start_time = '09:30' where slug = 'tour-2';
insert into departures (tour_id, departure_date, start_time, seats_total, prices_minor)
select id, date '2040-01-02', '14:30', 20, '{"adult": 50000}' from tours where slug = 'tour-2';
update departures set closes_at = '2040-01-01 12:00Z' where departure_date = '2040-01-04';
insert into tenants (slug, name, booking_prefix, country, currency, currency_digits, sell_in, sell_in_digits)
values ('abroad', 'Abroad', 'ABRO', 'CH', 'EUR', 2, 'CHF', 2);
insert into payment_reminders (lead_id, sent_at) select id, now() from booking_leads where status = 'pending_payment';
insert into octo_catalog_reads (tenant_id, as_of) select id, now() from tenants where slug = 'acme';
insert into webhook_endpoints (tenant_id, url, format, events)
select id, 'https://reseller.example/octo', 'octo', '{octo.booking_update}' from tenants where slug = 'acme';
insert into webhook_endpoint_headers (endpoint_id, names, id, key_id, nonce, ciphertext)
select id, '{Authorization}', webhook_new_id(), 'a-key', decode(repeat('00', 12), 'hex'), '\x00' from webhook_endpoints where format = 'octo';
update booking_leads set status = 'cancelled', cancelled_at = now() where id = (select max(id) from booking_leads);
update seat_holds set status = 'released' where id = (select max(id::text)::uuid from seat_holds);
update departures set status = 'cancelled' where departure_date = '2040-01-03' and start_time is null;
