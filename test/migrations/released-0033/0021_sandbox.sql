-- A sandbox tenant sees the real catalog, but its holds and bookings take no real seat (ADR 29). Its rows are marked, and every count of
-- seats is made among the rows of one kind.

-- In the order of a sale, which checks the tenant's key before it reads leads and holds.
lock table tenants, booking_leads, seat_holds in access exclusive mode;

-- A constant default rewrites no table. The instances of the version before write real rows only; the check below refuses a real row
-- of a sandbox tenant.
alter table tenants add column sandbox boolean not null default false;
alter table booking_leads add column sandbox boolean not null default false;
alter table seat_holds add column sandbox boolean not null default false;

create function refuse_another_kind() returns trigger language plpgsql as $$
begin
  raise exception 'a tenant never changes between real and sandbox'
    using errcode = 'check_violation', constraint = 'tenants_kind_never_changes';
end $$;
create trigger tenants_kind_never_changes before update of sandbox on tenants
  for each row when (old.sandbox is distinct from new.sandbox) execute function refuse_another_kind();

-- Counts the seats of one kind; the rest is as in 0015.
create function count_seats(departure uuid, of_sandbox boolean, at timestamptz) returns table (taken integer)
  language sql stable rows 1
begin atomic
  select (
    coalesce((select sum(h.quantity) from seat_holds h
              where h.departure_id = departure and h.sandbox = of_sandbox and hold_lives(h.status, h.expires_at, at)), 0)
    + coalesce((select sum(l.adults + l.children) from booking_leads l
                where l.departure_id = departure and l.sandbox = of_sandbox and l.status in ('pending_payment', 'confirmed')
                  and lead_stands(l.status, l.payment_due_at, at)), 0)
  )::integer;
end;

-- Counts real seats, for the instances of the version before.
create or replace function count_seats(departure uuid, at timestamptz) returns table (taken integer)
  language sql stable rows 1
begin atomic
  select taken from count_seats(departure, false, at);
end;

-- Counts real seats.
create or replace function seats_taken(departure uuid, at timestamptz) returns integer
  language sql stable
  return (select taken from count_seats(departure, false, at));

-- Counts the seats of one kind; the rest is as in 0014.
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

-- Checks that each row is of its tenant's kind, and recounts the departures of the kinds that were written. An operator may give a
-- departure fewer seats than its sandbox rows take, so an update of those rows is not recounted: it could not even be confirmed.
create or replace function recount_written_departures() returns trigger language plpgsql as $$
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

-- Real seats decide how small a departure may become.
create or replace function recount_shrunk_departure() returns trigger language plpgsql as $$
begin
  perform refuse_oversold_departures(array[new.id], false);
  return null;
end $$;

drop function refuse_oversold_departures(uuid[]);
