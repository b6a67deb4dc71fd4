-- A date of a tour may have several departures. The index compares only their own start times; the triggers of 0115 also compare the
-- tour's.
drop index concurrently if exists departures_one_per_start;
create unique index concurrently departures_one_per_start on departures (tour_id, departure_date, start_time) nulls not distinct;
alter table departures drop constraint if exists departures_one_per_tour_and_date;
