-- Refuses every write after which a departure has more seats taken than it has, from any code path. Locks the departure itself, which
-- costs nothing if the caller holds the lock, so that a writer without the lock cannot race. Replaced by 0014.
create function refuse_oversold_departures(departure_ids uuid[]) returns void language plpgsql as $$
declare
  oversold uuid;
begin
  -- With an older snapshot than the lock's, the count below would not see what a neighbour has just committed.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'seats are taken in READ COMMITTED only, not in %', current_setting('transaction_isolation');
  end if;
  -- No key update: the writer's foreign key already shares the key, and two such writers would wait for each other.
  perform from departures d where d.id = any (departure_ids) order by d.id for no key update;
  select d.id into oversold
    from departures d
    where d.id = any (departure_ids) and seats_taken(d.id, clock_timestamp()) > d.seats_total
    limit 1;
  if found then
    raise exception 'departure % would be oversold', oversold
      using errcode = 'check_violation', constraint = 'departures_never_oversold';
  end if;
end $$;

-- Checks only writes that take seats. It never refuses one that frees seats, so that an oversold departure can be repaired.
create function recount_written_departures() returns trigger language plpgsql as $$
declare
  grown uuid[] := array(select distinct w.departure_id from written w
                        where w.departure_id is not null and w.status in ('active', 'pending_payment', 'confirmed'));
begin
  if cardinality(grown) > 0 then
    perform refuse_oversold_departures(grown);
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

create function recount_shrunk_departure() returns trigger language plpgsql as $$
begin
  perform refuse_oversold_departures(array[new.id]);
  return null;
end $$;

create trigger departures_shrunk after update of seats_total on departures
  for each row when (new.seats_total < old.seats_total) execute function recount_shrunk_departure();
