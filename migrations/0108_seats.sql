-- Seats: functions that count the seats of live holds and standing leads, and triggers that refuse every write that oversells a departure.

-- Returns the taken seats of a departure, real ones or those of the sandbox, as a table of one row. PostgreSQL puts the body of a table
-- function into the statement that calls it, but calls a scalar function for each row: 12 µs for a departure instead of 42. The time is
-- compared in FILTER clauses instead of WHERE, so that only indexes by departure can be used. Otherwise, after a rush on one departure,
-- the statistics made each count read the live rows of all departures by their expiry.
create function count_seats(departure uuid, of_sandbox boolean, at timestamptz) returns table (taken integer)
  language sql stable rows 1
begin atomic
  select (
    coalesce((select sum(h.quantity) filter (where h.expires_at > at) from seat_holds h
              where h.departure_id = departure and h.sandbox = of_sandbox and h.status = 'active'), 0)
    + coalesce((select sum(l.adults + l.children) filter (where lead_stands(l.status, l.payment_due_at, at)) from booking_leads l
                where l.departure_id = departure and l.sandbox = of_sandbox and l.status in ('pending_payment', 'confirmed')), 0)
  )::integer;
end;

-- Counts real seats, for statements about one departure.
create function seats_taken(departure uuid, at timestamptz) returns integer
  language sql stable
  return (select taken from count_seats(departure, false, at));

-- Refuses a write, from any code path, after which more seats of a departure are taken than the departure has. Locks the departures, so
-- that writers which did not lock them cannot race. For a caller that holds the locks, this costs nothing. Reads the clock in a separate
-- statement: with a volatile argument, PostgreSQL would not inline the body of count_seats.
create function refuse_oversold_departures(departure_ids uuid[], of_sandbox boolean) returns void language plpgsql as $$
declare
  oversold uuid;
  now_counted timestamptz;
begin
  -- With an older snapshot than the lock's, the count below would not see what another transaction has just committed.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'seats are taken in READ COMMITTED only, not in %', current_setting('transaction_isolation');
  end if;
  -- No key update: the writer's foreign key already shares the key, and two such writers would wait for each other.
  perform from departures d where d.id = any (departure_ids) order by d.id for no key update;
  now_counted := clock_timestamp();
  select d.id into oversold
    from departures d cross join lateral count_seats(d.id, of_sandbox, now_counted) as seats
    where d.id = any (departure_ids) and seats.taken > d.seats_total
    limit 1;
  if found then
    raise exception 'departure % would be oversold', oversold
      using errcode = 'check_violation', constraint = 'departures_never_oversold';
  end if;
end $$;

-- Checks that each written row is a sandbox row exactly if its tenant is a sandbox tenant. Then counts the seats of the departures again,
-- real seats and those of the sandbox separately. Does not count for rows that take no seats: a write that frees seats is never refused, so
-- that an oversold departure can be repaired. An operator may give a departure fewer seats than its sandbox rows take. So an update of
-- sandbox rows is not counted: otherwise such a booking could not even be confirmed.
create function recount_written_departures() returns trigger language plpgsql as $$
declare
  grown uuid[] := array(select distinct w.departure_id from written w
                        where not w.sandbox and w.departure_id is not null and w.status in ('active', 'pending_payment', 'confirmed'));
  grown_sandbox uuid[] := array(select distinct w.departure_id from written w
                                where w.sandbox and w.departure_id is not null and w.status in ('active', 'pending_payment', 'confirmed'));
begin
  if exists (select from written w join tenants t on t.id = w.tenant_id where t.sandbox <> w.sandbox) then
    raise exception 'a sandbox tenant has sandbox rows only, and another tenant has none'
      using errcode = 'check_violation', constraint = 'sales_are_of_their_tenants_kind';
  end if;
  if cardinality(grown) > 0 then
    perform refuse_oversold_departures(grown, false);
  end if;
  if tg_op = 'INSERT' and cardinality(grown_sandbox) > 0 then
    perform refuse_oversold_departures(grown_sandbox, true);
  end if;
  return null;
end $$;
create trigger seat_holds_inserted after insert on seat_holds
  referencing new table as written for each statement execute function recount_written_departures();
create trigger seat_holds_updated after update on seat_holds
  referencing new table as written for each statement execute function recount_written_departures();
create trigger booking_leads_inserted after insert on booking_leads
  referencing new table as written for each statement execute function recount_written_departures();
create trigger booking_leads_updated after update on booking_leads
  referencing new table as written for each statement execute function recount_written_departures();

-- Counts the seats again when a departure gets fewer seats. Refuses a number below the taken real seats. Seats of the sandbox do not limit
-- the number.
create function recount_shrunk_departure() returns trigger language plpgsql as $$
begin
  perform refuse_oversold_departures(array[new.id], false);
  return null;
end $$;
create trigger departures_shrunk after update of seats_total on departures
  for each row when (new.seats_total < old.seats_total) execute function recount_shrunk_departure();
