-- For the report of refunds, which reads the cancellations of a period. No sale before 0141 has a refund, so the index is small.
drop index concurrently if exists booking_leads_refunded;
create index concurrently booking_leads_refunded on booking_leads (cancelled_at) where refund_minor > 0;
