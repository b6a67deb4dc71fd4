-- Price categories as data of the tour (ADR 55). The party and the locked prices of holds and bookings are stored by category, and their
-- seats are one number. The update is not rolling: a process of an earlier release reads and writes the old columns.
do $$ begin
  if exists (select from api_instances where polled_at > clock_timestamp() - interval '1 minute') then
    raise exception 'an instance of an earlier release runs, which does not know price categories'
      using errcode = 'object_not_in_prerequisite_state', constraint = 'migration_needs_stopped_instances';
  end if;
end $$;

-- The price categories of a tour, in their order: [{"code": "adult", "kind": "adult", "seats": 1, "people": 1}]. The API checks them. Null:
-- the default list (pricing/category.ts), whose first category is adult.
alter table tours add column categories jsonb
  constraint tours_categories_form check (jsonb_typeof(categories) = 'array' and jsonb_array_length(categories) between 1 and 12);

-- Returns the code of the first category of a tour. @param categories null: the default list
create function first_category(categories jsonb) returns text
  language sql immutable
  return coalesce(categories #>> '{0,code}', 'adult');

-- Returns true for valid prices by category, in minor units: {"adult": 129000, "child": 99000}. The API checks the codes.
create or replace function valid_prices_minor(prices jsonb) returns boolean
  language sql immutable
  return jsonb_typeof(prices) = 'object'
    and prices <> '{}'
    and not exists (
      select from jsonb_each(prices) as category (code, amount)
      where category.code !~ '^[a-z0-9_]{2,32}$'
        or jsonb_typeof(category.amount) <> 'number'
        or category.amount::text !~ '^[0-9]{1,13}$'
    );

-- Returns the total of a party in minor units. Null: a category has no valid price, or a number of units is not from 1 to 99.
-- @param party the number of units by category: {"adult": 2, "child": 1}
create function party_total(party jsonb, prices jsonb) returns bigint
  language sql immutable
  return (
    select case when bool_and(units.number ~ '^[1-9][0-9]?$' and coalesce(prices ->> units.code, '') ~ '^[0-9]{1,16}$')
      then sum(units.number::bigint * (prices ->> units.code)::bigint) end
    from jsonb_each_text(party) as units (code, number));

-- The rule changes the price of this category only. Null: a percentage changes every category, and an amount or a price that of the first
-- category of a tour.
alter table price_rules add column category text constraint price_rules_category_form check (category ~ '^[a-z0-9_]{2,32}$'),
  add constraint price_rules_category_of_money check (category is null or kind <> 'percent');

-- count_seats and seats_taken are created again below, because they read the columns that change.
drop function seats_taken(uuid, timestamptz);
drop function count_seats(uuid, boolean, timestamptz);

alter table seat_holds
  drop constraint seat_holds_children_range,
  drop constraint seat_holds_children_priced,
  drop constraint seat_holds_prices_range,
  drop constraint seat_holds_unit_price_range;
-- One statement for all types, so that PostgreSQL writes the table once.
alter table seat_holds
  alter column children drop default,
  alter column children type jsonb using
    jsonb_strip_nulls(jsonb_build_object('adult', nullif(quantity - children, 0), 'child', nullif(children, 0))),
  alter column unit_price_minor type jsonb using jsonb_strip_nulls(jsonb_build_object(
    'adult', unit_price_minor, 'child', child_price_minor, 'single_supplement', single_supplement_minor)),
  alter column price_breakdown type jsonb using
    price_breakdown - '{platform_unit_price,platform_child_price,platform_single_supplement}'::text[]
    || jsonb_build_object('platform_prices', jsonb_strip_nulls(jsonb_build_object(
      'adult', price_breakdown -> 'platform_unit_price', 'child', price_breakdown -> 'platform_child_price',
      'single_supplement', price_breakdown -> 'platform_single_supplement')));
alter table seat_holds drop column child_price_minor, drop column single_supplement_minor;
alter table seat_holds rename column quantity to seats;
alter table seat_holds rename column children to party;
alter table seat_holds rename column unit_price_minor to prices_minor;
alter table seat_holds rename constraint seat_holds_quantity_range to seat_holds_seats_range;
alter table seat_holds
  -- The categories of the tour that the hold has locked. Null: the default list.
  add column categories jsonb,
  add constraint seat_holds_party_priced check (party_total(party, prices_minor) is not null);

drop index booking_leads_standing_by_kind;
alter table booking_leads
  drop constraint booking_leads_unit_price_range,
  drop constraint booking_leads_party_range,
  drop constraint booking_leads_party_priced,
  drop constraint booking_leads_prices_range,
  drop constraint booking_leads_total_is_sum;
alter table booking_leads
  alter column children drop default,
  alter column adults type jsonb using jsonb_strip_nulls(jsonb_build_object(
    'adult', nullif(adults, 0), 'child', nullif(children, 0), 'single_supplement', nullif(single_supplements, 0))),
  alter column children type integer using adults + children,
  alter column unit_price_minor type jsonb using jsonb_strip_nulls(jsonb_build_object(
    'adult', unit_price_minor, 'child', child_price_minor, 'single_supplement', single_supplement_minor)),
  alter column price_breakdown type jsonb using
    price_breakdown - '{platform_unit_price,platform_child_price,platform_single_supplement}'::text[]
    || jsonb_build_object('platform_prices', jsonb_strip_nulls(jsonb_build_object(
      'adult', price_breakdown -> 'platform_unit_price', 'child', price_breakdown -> 'platform_child_price',
      'single_supplement', price_breakdown -> 'platform_single_supplement')));
alter table booking_leads drop column single_supplements, drop column child_price_minor, drop column single_supplement_minor;
alter table booking_leads rename column adults to party;
alter table booking_leads rename column children to seats;
alter table booking_leads rename column unit_price_minor to prices_minor;
alter table booking_leads
  -- The categories of the tour that the booking has locked. Null: the default list.
  add column categories jsonb,
  add constraint booking_leads_seats_range check (seats between 1 and 50),
  add constraint booking_leads_total_is_sum check (coalesce(party_total(party, prices_minor) = total_minor, false));
-- For count_seats, like seat_holds_live_by_kind (0106).
create index booking_leads_standing_by_kind on booking_leads (departure_id, sandbox)
  include (seats, status, payment_due_at) where status in ('pending_payment', 'confirmed');

-- Returns the taken seats of a departure, real ones or those of the sandbox, as a table of one row. The reasons for its form: 0108.
create function count_seats(departure uuid, of_sandbox boolean, at timestamptz) returns table (taken integer)
  language sql stable rows 1
begin atomic
  select (
    coalesce((select sum(h.seats) filter (where h.expires_at > at) from seat_holds h
              where h.departure_id = departure and h.sandbox = of_sandbox and h.status = 'active'), 0)
    + coalesce((select sum(l.seats) filter (where lead_stands(l.status, l.payment_due_at, at)) from booking_leads l
                where l.departure_id = departure and l.sandbox = of_sandbox and l.status in ('pending_payment', 'confirmed')), 0)
  )::integer;
end;

-- Counts real seats, for statements about one departure.
create function seats_taken(departure uuid, at timestamptz) returns integer
  language sql stable
  return (select taken from count_seats(departure, false, at));
