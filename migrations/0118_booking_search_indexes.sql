-- For the terminal's lists over all tenants and tours.

-- The words of a booking. The search has the same expression.
drop index concurrently if exists booking_leads_search;
create index concurrently booking_leads_search on booking_leads using gin (
  fold_words(' ' || booking_ref || ' | ' || coalesce(customer_name, '') || ' | ' || coalesce(customer_phone, '') || ' | '
    || coalesce(customer_email, '') || ' | ' || coalesce(external_ref, '') || ' ') gin_trgm_ops);

-- Bookings of a tour, and bookings of all tenants by date of departure.
drop index concurrently if exists booking_leads_of_tour;
create index concurrently booking_leads_of_tour on booking_leads (tour_id, departure_date, id);
drop index concurrently if exists booking_leads_by_date_of_departure;
create index concurrently booking_leads_by_date_of_departure on booking_leads (departure_date, id) where departure_date is not null;

-- Departures of all tours by date.
drop index concurrently if exists departures_of_all_tours;
create index concurrently departures_of_all_tours on departures (departure_date, id);
drop index concurrently if exists departures_cancelled;
create index concurrently departures_cancelled on departures (departure_date, id) where status = 'cancelled';
