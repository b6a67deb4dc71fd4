-- The statuses that take seats, said once (ADR 70). hold_lives, lead_stands and all that counts seats are made of the first two functions.
-- The partial indexes list the statuses themselves: an index would keep the rows of an earlier definition of a function.

-- Returns true if a hold with this stored status keeps its seats until it expires.
create function hold_takes_seats(status text) returns boolean
  language sql immutable
  return status = 'active';

-- Returns true if a lead with this stored status keeps its seats until its payment is overdue.
-- @rule which stored statuses take seats: test/api/statuses.test.ts
create function lead_takes_seats(status text) returns boolean
  language sql immutable
  return status in ('pending_payment', 'confirmed');

-- Returns true if the hold keeps its seats at the instant `at`.
create or replace function hold_lives(status text, expires_at timestamptz, at timestamptz) returns boolean
  language sql immutable
  return hold_takes_seats(status) and expires_at > at;

-- Returns true if the hold has expired, but is not marked as expired yet.
create or replace function hold_lapsed(status text, expires_at timestamptz, at timestamptz) returns boolean
  language sql immutable
  return hold_takes_seats(status) and expires_at <= at;

-- Returns true if the lead is neither cancelled nor expired at the instant `at`, so that it keeps its seats.
create or replace function lead_stands(status text, payment_due_at timestamptz, at timestamptz) returns boolean
  language sql immutable
  return lead_takes_seats(status) and lead_lapsed(status, payment_due_at, at) is not true;

-- Returns true if the lead stands at the instant `at` and is not paid.
create function lead_is_unpaid(status text, payment_due_at timestamptz, at timestamptz) returns boolean
  language sql immutable
  return status = 'pending_payment' and (payment_due_at is null or payment_due_at > at);

-- Returns the taken seats of a departure, real ones or those of the sandbox, as a table of one row. The reasons for its form: 0108.
-- @rule a sandbox sale takes no real seat: test/api/sandbox.test.ts
create or replace function count_seats(departure uuid, of_sandbox boolean, at timestamptz) returns table (taken integer)
  language sql stable rows 1
begin atomic
  select (
    coalesce((select sum(h.seats) filter (where h.expires_at > at) from seat_holds h
              where h.departure_id = departure and h.sandbox = of_sandbox and hold_takes_seats(h.status)), 0)
    + coalesce((select sum(l.seats) filter (where lead_stands(l.status, l.payment_due_at, at)) from booking_leads l
                where l.departure_id = departure and l.sandbox = of_sandbox and lead_takes_seats(l.status)), 0)
  )::integer;
end;

-- Checks the rows that a statement has written, as in 0108_seats.sql. Serves both tables: the statuses of one are not those of the other.
create or replace function recount_written_departures() returns trigger language plpgsql as $$
declare
  grown uuid[] := array(select distinct w.departure_id from written w
                        where not w.sandbox and w.departure_id is not null
                          and (hold_takes_seats(w.status) or lead_takes_seats(w.status)));
  grown_sandbox uuid[] := array(select distinct w.departure_id from written w
                                where w.sandbox and w.departure_id is not null
                                  and (hold_takes_seats(w.status) or lead_takes_seats(w.status)));
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

-- Writes payment_due_at of the bookings of a departure, or of a tour's departures, that start at another time.
create or replace function renew_payment_due() returns trigger language plpgsql as $$
declare
  departure_ids uuid[] := case tg_table_name when 'departures' then array[new.id]
    else array(select d.id from departures d where d.tour_id = new.id) end;
begin
  update booking_leads l
  set payment_window_ends_at = renewed.window_ends_at, payment_due_at = renewed.due_at
  from (
    select b.id, own.window_ends_at, payment_due_of(own.window_ends_at, b.departure_id) as due_at
    from booking_leads b cross join lateral (select coalesce(b.payment_window_ends_at, b.payment_due_at)) as own (window_ends_at)
    where b.departure_id = any (departure_ids)
      and payment_due_may_change(b.status, b.payment_due_at, b.confirmed_at, clock_timestamp())
  ) as renewed
  where l.id = renewed.id and l.payment_due_at <> renewed.due_at;
  return null;
end $$;

insert into rolling_migrations values ('0161_statuses');
