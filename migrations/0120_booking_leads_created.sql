-- For reports and statistics, which read the bookings of a period. A BRIN index (0107) finds a period only while the rows lie in the order of
-- their times: a confirmed booking moves to the free space of another page.
drop index concurrently if exists booking_leads_created;
create index concurrently booking_leads_created on booking_leads (created_at);
drop index concurrently if exists booking_leads_by_time;
