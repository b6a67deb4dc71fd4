-- The central catalog, which all tenants share: tours, their tags, and what imports and the demo have stored about tours.

-- Returns those pictures of a list whose address is https or a path of this service. //host and /\host are not such paths: browsers take
-- them for other hosts.
create function images_with_safe_addresses(images jsonb) returns jsonb
  language sql immutable
  return jsonb_path_query_array(images, 'strict $[*] ? (@.url like_regex "^(https://|/($|[^/\\\\]))")');

-- The tours, with their content as structured fields. Prices are in minor units of the tour's currency.
create table tours (
  id                  uuid        primary key default gen_random_uuid(),
  -- A slug never looks like a UUID, so that it is known before the query whether {id_or_slug} is an id or a slug.
  slug                text        not null constraint tours_slug_unique unique
                      constraint tours_slug_form check (slug ~ '^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$'
                        and slug !~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'),
  name                text        not null constraint tours_name_length check (char_length(name) between 1 and 200),
  -- The name without case and accents, as the API folds it, for sorting and searching.
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
  -- The API accepts the same addresses.
  image_url           text        constraint tours_image_url_scheme check (image_url ~ '^(https://|/($|[^/\\]))'),
  images              jsonb       not null default '[]' constraint tours_images_list check (jsonb_typeof(images) = 'array')
                      constraint tours_images_schemes check (images_with_safe_addresses(images) = images),
  tags                text[]      not null default '{}',
  languages           text[]      not null default '{}',
  -- An IANA time zone that this database knows. An unknown one is refused here, and not only at the first booking.
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
  -- Grows with every change of the tour, its departures or their seats from the terminal. A cached availability stores the revision at
  -- which its seats were counted, and is not used for a later one.
  revision            bigint      not null default 1,
  created_at          timestamptz not null default now(),
  updated_at          timestamptz not null default now(),
  -- The local time, HH:MM, at which departures without a start time of their own begin. Null: the tour has no fixed time.
  start_time          text        constraint tours_start_time_is_a_time check (start_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  constraint tours_sort_key_unique unique (id, continent, name_folded)
);
create index tours_by_name on tours (name_folded, id) where status = 'published';
create index tours_by_continent on tours (continent, name_folded, id) where status = 'published';
create index tours_name_search on tours using gin (name_folded gin_trgm_ops);
-- For the filters of the catalog, in the order of its pages.
create index tours_by_country on tours (continent, country, name_folded, id) where status = 'published';
create index tours_by_duration on tours (duration_days) where status = 'published';

-- The tags of published tours. The index has the order of pages for each continent, because a tag may be frequent on one continent and
-- absent on the others.
create table tour_tags (
  tour_id     uuid not null references tours (id) on delete cascade,
  tag         text collate "C" not null,
  continent   text collate "C" not null,
  name_folded text collate "C" not null,
  primary key (tour_id, tag)
);
create index tour_tags_by_name on tour_tags (tag, continent, name_folded, tour_id);

-- Keeps tour_tags equal to the tags of the published tours.
create function keep_tour_tags() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from tour_tags g using old_rows o, new_rows n
    where g.tour_id = o.id and n.id = o.id
      and (o.tags, o.continent, o.name_folded, o.status) is distinct from (n.tags, n.continent, n.name_folded, n.status);
  end if;
  insert into tour_tags (tour_id, tag, continent, name_folded)
  select distinct t.id, unnest(t.tags), t.continent, t.name_folded from new_rows t where t.status = 'published'
  on conflict do nothing;
  return null;
end $$;
create trigger tours_inserted_tags after insert on tours
  referencing new table as new_rows for each statement execute function keep_tour_tags();
create trigger tours_updated_tags after update on tours
  referencing new table as new_rows old table as old_rows for each statement execute function keep_tour_tags();

-- Records each write to a tour or its departures, by any writer. While a tour has a row here, the digest of the tour in tour_imports is not
-- valid. Writers only add rows, so that they do not wait for each other. An import deletes the rows that existed at its comparison.
create table tour_edits (
  id          bigint generated always as identity primary key,
  tour_id     uuid   not null,
  transaction xid8   not null default pg_current_xact_id()
);
create index tour_edits_by_tour on tour_edits (tour_id);

-- Adds rows to tour_edits: one for each tour whose own row, or the row of one of its departures, a statement has changed.
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
create trigger tours_updated after update on tours
  referencing new table as new_rows old table as old_rows for each statement execute function note_tour_edits();

-- Adds a row to tour_edits for every tour, because TRUNCATE does not say which rows it removes.
create function note_every_tour_edited() returns trigger language plpgsql as $$
begin
  insert into tour_edits (tour_id) select id from tours;
  return null;
end $$;

-- For each tour, the last entry of a catalog file that an import wrote, or found to be equal to the tour. There is no foreign key,
-- because its lock would make imports and the terminal wait for each other. No query finds a row whose tour does not exist.
create table tour_imports (
  tour_id    uuid    primary key,
  -- The digest of the entry's text. Null: an import has changed the tour, and no entry is known to be equal to the tour.
  digest     bytea,
  -- True: an import of the same entry with --prune would also change nothing.
  exact      boolean not null,
  departures integer not null,
  -- Changes with each write. An import replaces only a row that still has the stamp of its comparison.
  stamp      bigint  not null generated always as identity
);
create index tour_imports_by_digest on tour_imports (digest);

-- The tours that the demo has created, with the time of the demo's last change of each. The demo does not change a tour that an operator
-- has changed since this time. The revision of the tour cannot show this, because sales from the terminal also increment it.
create table demo_tours (
  tour_id    uuid        primary key references tours (id) on delete cascade,
  updated_at timestamptz not null
);
