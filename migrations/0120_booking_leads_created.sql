-- For reports and statistics, which read the bookings of a period. The BRIN index of 0107 finds a period only while rows are stored in the
-- order of their times. A confirmation moves a booking's row to free space in another page.
drop index concurrently if exists booking_leads_created;
create index concurrently booking_leads_created on booking_leads (created_at);
drop index concurrently if exists booking_leads_by_time;
