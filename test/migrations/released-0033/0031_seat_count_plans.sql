-- Counts the seats of one kind; the result is that of 0021. The time is compared in the filters, so that only the indexes of the departure
-- fit: after a rush on one departure, its statistics made each count read the live rows of all departures by their expiry.
create or replace function count_seats(departure uuid, of_sandbox boolean, at timestamptz) returns table (taken integer)
  language sql stable rows 1
begin atomic
  select (
    coalesce((select sum(h.quantity) filter (where h.expires_at > at) from seat_holds h
              where h.departure_id = departure and h.sandbox = of_sandbox and h.status = 'active'), 0)
    + coalesce((select sum(l.adults + l.children) filter (where lead_stands(l.status, l.payment_due_at, at)) from booking_leads l
                where l.departure_id = departure and l.sandbox = of_sandbox and l.status in ('pending_payment', 'confirmed')), 0)
  )::integer;
end;

-- Rows per departure, for the next ANALYZE: a sample that a rush on one departure fills says that all rows are of one departure.
alter table seat_holds alter column departure_id set (n_distinct = -0.05);
alter table booking_leads alter column departure_id set (n_distinct = -0.05);
