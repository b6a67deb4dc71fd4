-- An unpaid booking and a hold end no later than the departure for which they keep seats (ADR 63).

-- The end of the payment window, which a change of the date does not move. payment_due_at is the earlier of it and of the instant at which
-- the present departure is past. Null: payment_due_at is the end of the window (a row from before this migration), or there is no window.
alter table booking_leads add column payment_window_ends_at timestamptz,
  add constraint booking_leads_due_within_window check (payment_due_at <= payment_window_ends_at);

-- Returns the instant until which an unpaid booking stands. Null: it has no payment window.
-- @param departure null: a booking without a date
-- @rule the due time of a booking whose start changes: test/api/payment-due.test.ts
create function payment_due_of(window_ends_at timestamptz, departure uuid) returns timestamptz
  language sql stable as $$
  select case when window_ends_at is not null then least(window_ends_at, (
    select departure_past_at(d.departure_date, coalesce(d.start_time, t.start_time), t.time_zone)
    from departures d join tours t on t.id = d.tour_id where d.id = departure)) end
$$;

-- Returns true if the payment of a booking can become due at another time: the booking stands, and its payment was not late.
create function payment_due_may_change(status text, payment_due_at timestamptz, confirmed_at timestamptz, at timestamptz) returns boolean
  language sql immutable
  return lead_stands(status, payment_due_at, at) and payment_due_at > coalesce(confirmed_at, at);

-- Writes payment_due_at of a new booking that has no payment_window_ends_at, as an instance of the release before writes it, and of a booking
-- that moves to another departure.
create function set_payment_due() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or payment_due_may_change(new.status, new.payment_due_at, new.confirmed_at, clock_timestamp()) then
    new.payment_window_ends_at := coalesce(new.payment_window_ends_at, new.payment_due_at);
    new.payment_due_at := payment_due_of(new.payment_window_ends_at, new.departure_id);
  end if;
  return new;
end $$;
create trigger booking_leads_due_of_new before insert on booking_leads
  for each row when (new.payment_due_at is not null and new.payment_window_ends_at is null) execute function set_payment_due();
create trigger booking_leads_due_of_moved before update of departure_id on booking_leads
  for each row when (new.departure_id is distinct from old.departure_id) execute function set_payment_due();

-- Writes payment_due_at of the bookings of a departure, or of a tour's departures, that start at another time.
create function renew_payment_due() returns trigger language plpgsql as $$
declare
  departure_ids uuid[] := case tg_table_name when 'departures' then array[new.id]
    else array(select d.id from departures d where d.tour_id = new.id) end;
begin
  update booking_leads l
  set payment_window_ends_at = renewed.window_ends_at, payment_due_at = renewed.due_at
  from (
    select b.id, own.window_ends_at, payment_due_of(own.window_ends_at, b.departure_id) as due_at
    from booking_leads b cross join lateral (select coalesce(b.payment_window_ends_at, b.payment_due_at)) as own (window_ends_at)
    where b.departure_id = any (departure_ids) and b.status in ('pending_payment', 'confirmed')
      and payment_due_may_change(b.status, b.payment_due_at, b.confirmed_at, clock_timestamp())
  ) as renewed
  where l.id = renewed.id and l.payment_due_at <> renewed.due_at;
  return null;
end $$;
create trigger departures_renew_payment_due after update of departure_date, start_time on departures
  for each row when ((old.departure_date, old.start_time) is distinct from (new.departure_date, new.start_time))
  execute function renew_payment_due();
create trigger tours_renew_payment_due after update of start_time, time_zone on tours
  for each row when ((old.start_time, old.time_zone) is distinct from (new.start_time, new.time_zone))
  execute function renew_payment_due();

-- Brings the live holds and the unpaid bookings to the rule, without events. What would have ended already ends here: a sweep would send its
-- event. The writes free seats only, so the triggers that count seats again are not needed. They would lock departures, for which sales
-- that wait for this migration hold the locks.
alter table seat_holds disable trigger seat_holds_updated;
alter table booking_leads disable trigger booking_leads_updated;

with closing as (
  select h.id, greatest(h.created_at, departure_closes_at(
      d.departure_date, coalesce(d.start_time, t.start_time), d.closes_at, coalesce(d.closes_before, t.booking_cutoff), t.time_zone)) as at
  from seat_holds h join departures d on d.id = h.departure_id join tours t on t.id = d.tour_id
  where h.status = 'active' and h.expires_at > clock_timestamp()
)
update seat_holds h
set expires_at = c.at,
  status = case when c.at > clock_timestamp() then h.status else 'expired' end,
  ended_at = case when c.at > clock_timestamp() then h.ended_at else c.at end
from closing c where c.id = h.id and c.at < h.expires_at;

with past as (
  select l.id, departure_past_at(d.departure_date, coalesce(d.start_time, t.start_time), t.time_zone) as at
  from booking_leads l join departures d on d.id = l.departure_id join tours t on t.id = d.tour_id
  where l.status = 'pending_payment' and l.payment_due_at > clock_timestamp()
)
update booking_leads l
set payment_window_ends_at = l.payment_due_at,
  payment_due_at = p.at,
  status = case when p.at > clock_timestamp() then l.status else 'expired' end,
  expired_at = case when p.at > clock_timestamp() then l.expired_at else p.at end
from past p where p.id = l.id and p.at < l.payment_due_at;

alter table booking_leads enable trigger booking_leads_updated;
alter table seat_holds enable trigger seat_holds_updated;
