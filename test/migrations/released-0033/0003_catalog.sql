-- The central catalog: one row a tour, content as structured fields, prices in minor units of the tour's currency.
create table tours (
  id                  uuid        primary key default gen_random_uuid(),
  -- A slug never looks like a UUID, so that {id_or_slug} is decided before the query.
  slug                text        not null constraint tours_slug_unique unique
                      constraint tours_slug_form check (slug ~ '^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$'
                        and slug !~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'),
  name                text        not null constraint tours_name_length check (char_length(name) between 1 and 200),
  -- The name without case and accents, as catalog/fold-name.ts writes it, for sorting and searching.
  name_folded         text        collate "C" not null,
  summary             text        constraint tours_summary_length check (char_length(summary) <= 2000),
  description         text        constraint tours_description_length check (char_length(description) <= 20000),
  continent           text        collate "C" not null
                      constraint tours_continent_form check (continent ~ '^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$'),
  country             char(2)     not null constraint tours_country_form check (country ~ '^[A-Z]{2}$'),
  duration_days       integer     not null constraint tours_duration_range check (duration_days between 1 and 366),
  currency            char(3)     not null constraint tours_currency_form check (currency ~ '^[A-Z]{3}$'),
  currency_digits     smallint    not null constraint tours_currency_digits_range check (currency_digits between 0 and 4),
  base_price_minor    bigint      not null constraint tours_base_price_range check (base_price_minor between 0 and 1000000000000),
  image_url           text,
  images              jsonb       not null default '[]' constraint tours_images_list check (jsonb_typeof(images) = 'array'),
  tags                text[]      not null default '{}',
  languages           text[]      not null default '{}',
  -- An IANA zone that this database knows: an unknown one fails here, not at the first booking.
  time_zone           text        not null default 'UTC'
                      constraint tours_time_zone_known check ((timestamptz '2000-01-01 00:00Z' at time zone time_zone) is not null),
  group_size_max      integer     constraint tours_group_size_positive check (group_size_max > 0),
  start_location      jsonb       constraint tours_start_location_object check (jsonb_typeof(start_location) = 'object'),
  end_location        jsonb       constraint tours_end_location_object check (jsonb_typeof(end_location) = 'object'),
  itinerary           jsonb       not null default '[]' constraint tours_itinerary_list check (jsonb_typeof(itinerary) = 'array'),
  inclusions          text[]      not null default '{}',
  exclusions          text[]      not null default '{}',
  cancellation_policy text        constraint tours_cancellation_policy_length check (char_length(cancellation_policy) <= 2000),
  status              text        not null default 'published'
                      constraint tours_status_known check (status in ('published', 'draft', 'archived')),
  -- Grows with every change from the terminal to the tour, its departures or their seats. A cached availability stores the
  -- revision at which it was counted, and is not used at another one.
  revision            bigint      not null default 1,
  created_at          timestamptz not null default now(),
  updated_at          timestamptz not null default now(),
  constraint tours_sort_key_unique unique (id, continent, name_folded)
);
create index tours_by_name on tours (name_folded, id) where status = 'published';
create index tours_by_continent on tours (continent, name_folded, id) where status = 'published';
create index tours_name_search on tours using gin (name_folded gin_trgm_ops);

-- Prices by category in minor units: {"adult": 129000, "child": 99000, "single_supplement": 20000}; adult is required.
create function valid_prices_minor(prices jsonb) returns boolean
  language sql immutable
  return jsonb_typeof(prices) = 'object'
    and jsonb_exists(prices, 'adult')
    and not exists (
      select from jsonb_each(prices) as category (name, amount)
      where category.name not in ('adult', 'child', 'single_supplement')
        or jsonb_typeof(category.amount) <> 'number'
        or category.amount::text !~ '^[0-9]{1,13}$'
    );

-- A departure is one travel date of one tour. The number of taken seats is never stored: count_seats (0014) counts it.
create table departures (
  id             uuid        primary key default gen_random_uuid(),
  tour_id        uuid        not null references tours (id) on delete restrict,
  departure_date date        not null,
  return_date    date,
  seats_total    integer     not null constraint departures_seats_range check (seats_total between 1 and 100000),
  prices_minor   jsonb       not null constraint departures_prices_valid check (valid_prices_minor(prices_minor)),
  status         text        not null default 'scheduled'
                 constraint departures_status_known check (status in ('scheduled', 'cancelled')),
  closes_at      timestamptz,
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  constraint departures_one_per_tour_and_date unique (tour_id, departure_date),
  constraint departures_return_not_before check (return_date >= departure_date)
);

-- PostgreSQL inlines these functions into the queries that call them, because each is one immutable expression. So the planner
-- sees the columns, and uses their indexes.

-- Returns the date at the instant `at`, in the tour's time zone.
create function tour_today(time_zone text, at timestamptz) returns date
  language sql immutable
  return (at at time zone time_zone)::date;

-- Returns true if the departure can be booked at the instant `at`, without regard to its seats. departures/departure.ts derives the
-- reason if it cannot.
create function departure_is_open(status text, departure_date date, closes_at timestamptz, time_zone text, at timestamptz)
  returns boolean
  language sql immutable
  return status = 'scheduled' and departure_date >= tour_today(time_zone, at) and (closes_at is null or closes_at > at);

-- Records each write to a tour or its departures, by any writer. While a tour has a row here, its digest in tour_imports is not
-- valid. Writers only add rows, so that they do not wait for each other. An import deletes the rows that its comparison has seen.
create table tour_edits (
  id          bigint generated always as identity primary key,
  tour_id     uuid   not null,
  transaction xid8   not null default pg_current_xact_id()
);
create index tour_edits_by_tour on tour_edits (tour_id);

create function note_tour_edits() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'tours' then
    insert into tour_edits (tour_id) select id from new_rows union select id from old_rows;
  elsif tg_op = 'INSERT' then
    insert into tour_edits (tour_id) select distinct tour_id from new_rows;
  elsif tg_op = 'DELETE' then
    insert into tour_edits (tour_id) select distinct tour_id from old_rows;
  else
    insert into tour_edits (tour_id) select tour_id from new_rows union select tour_id from old_rows;
  end if;
  return null;
end $$;
create function note_every_tour_edited() returns trigger language plpgsql as $$
begin
  insert into tour_edits (tour_id) select id from tours;
  return null;
end $$;
create trigger tours_updated after update on tours
  referencing new table as new_rows old table as old_rows for each statement execute function note_tour_edits();
create trigger departures_inserted after insert on departures
  referencing new table as new_rows for each statement execute function note_tour_edits();
create trigger departures_updated after update on departures
  referencing new table as new_rows old table as old_rows for each statement execute function note_tour_edits();
create trigger departures_deleted after delete on departures
  referencing old table as old_rows for each statement execute function note_tour_edits();
create trigger departures_truncated after truncate on departures
  for each statement execute function note_every_tour_edited();

-- The last entry of a catalog file that an import found equal to the tour, or wrote to it. Has no foreign key, because its lock
-- would make imports and the terminal wait for each other. No query finds a row without its tour.
create table tour_imports (
  tour_id    uuid    primary key,
  -- Digest of the entry's text. Null: an import has changed the tour, and no text is known to be equal to it.
  digest     bytea,
  -- True if an import with --prune has nothing to do either.
  exact      boolean not null,
  departures integer not null,
  -- Changes with each write. An import replaces only a row that still has the stamp of its comparison.
  stamp      bigint  not null generated always as identity
);
create index tour_imports_by_digest on tour_imports (digest);
