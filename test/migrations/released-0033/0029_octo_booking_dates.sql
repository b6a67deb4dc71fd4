-- The date of departure of each booking of OCTO: of its lead, or else of its hold. A list by date reads the bookings of its range only;
-- ended holds have no index by departure. Triggers write it, because REST and instances of the version before move holds and leads too.

-- In the order of a sale, which reads leads before it inserts a hold.
lock table booking_leads, seat_holds in share row exclusive mode;

alter table octo_bookings add column departure_date date;
update octo_bookings o set departure_date = d.departure_date
  from seat_holds h
    left join booking_leads l on l.hold_id = h.id
    join departures d on d.id = coalesce(l.departure_id, h.departure_id)
  where h.id = o.hold_id;
alter table octo_bookings alter column departure_date set not null;
create index octo_bookings_by_departure_date on octo_bookings (tenant_id, departure_date);

-- A row that a restore copies has its date already.
create function date_octo_booking() returns trigger language plpgsql as $$
begin
  select d.departure_date into new.departure_date
    from seat_holds h join departures d on d.id = h.departure_id where h.id = new.hold_id;
  return new;
end $$;
create trigger octo_bookings_inserted before insert on octo_bookings
  for each row when (new.departure_date is null) execute function date_octo_booking();

create function move_octo_booking_of_hold() returns trigger language plpgsql as $$
begin
  update octo_bookings o set departure_date = d.departure_date
    from departures d where d.id = new.departure_id and o.hold_id = new.id;
  return null;
end $$;
create trigger seat_holds_moved after update of departure_id on seat_holds
  for each row when (new.departure_id <> old.departure_id) execute function move_octo_booking_of_hold();

create function move_octo_booking_of_lead() returns trigger language plpgsql as $$
begin
  update octo_bookings o set departure_date = new.departure_date where o.hold_id = new.hold_id;
  return null;
end $$;
create trigger booking_leads_moved after update of departure_date on booking_leads
  for each row when (new.departure_date <> old.departure_date and new.hold_id is not null)
  execute function move_octo_booking_of_lead();
