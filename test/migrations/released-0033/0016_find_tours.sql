-- Indexes for the filters of the catalog, in the order of its pages.
create index tours_by_country on tours (continent, country, name_folded, id) where status = 'published';
create index tours_by_duration on tours (duration_days) where status = 'published';
create index departures_by_date on departures (departure_date, tour_id) where status = 'scheduled';
-- A page reads the rules of its tours only.
create index price_rules_tenant_tour on price_rules (tenant_id, tour_id);

-- The place of a tour in the order of next departures: its date (null: none, which sorts last), folded name, and id. No name has
-- the character between them.
create function next_departure_key(departure_date date, name_folded text, tour_id uuid) returns text
  language sql stable
  return (coalesce(to_char(departure_date, 'YYYY-MM-DD'), 'none') || e'\x01' || name_folded || e'\x01' || tour_id) collate "C";

-- The next open departure of each tour, computed in advance, because a list in its order needs an index. Time and changes make a
-- row wrong: it holds from computed_at to before open_until, and not for the tours in next_departures_due. A query computes the
-- rows that do not hold, so it is exact at any instant; the API computes them anew every 15 seconds.
create table next_departures (
  tour_id     uuid        primary key references tours (id) on delete cascade,
  continent   text        collate "C" not null,
  -- One column, because the planner has no statistics of where a list of columns ends: a page of tours without a date was sorted.
  sort_key    text        collate "C" not null,
  computed_at timestamptz not null,
  -- When this departure closes.
  open_until  timestamptz not null
);
create index next_departures_by_key on next_departures (continent, sort_key, tour_id);
create index next_departures_computed on next_departures (computed_at);
create index next_departures_until on next_departures (open_until);

-- Tours whose row must be computed anew. Rows are only added, so that no writer waits for another.
create table next_departures_due (
  id      bigint generated always as identity primary key,
  tour_id uuid   not null
);
create index next_departures_due_by_tour on next_departures_due (tour_id);
insert into next_departures_due (tour_id) select id from tours;

create function mark_next_departures() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'tours' then
    insert into next_departures_due (tour_id) select id from new_rows;
  elsif tg_op = 'INSERT' then
    insert into next_departures_due (tour_id) select distinct tour_id from new_rows;
  elsif tg_op = 'DELETE' then
    insert into next_departures_due (tour_id) select distinct tour_id from old_rows;
  else
    insert into next_departures_due (tour_id) select tour_id from new_rows union select tour_id from old_rows;
  end if;
  return null;
end $$;
create function mark_all_next_departures() returns trigger language plpgsql as $$
begin
  insert into next_departures_due (tour_id) select id from tours;
  return null;
end $$;
create trigger tours_inserted_next_departures after insert on tours
  referencing new table as new_rows for each statement execute function mark_next_departures();
create trigger tours_updated_next_departures after update on tours
  referencing new table as new_rows for each statement execute function mark_next_departures();
create trigger departures_inserted_next_departures after insert on departures
  referencing new table as new_rows for each statement execute function mark_next_departures();
create trigger departures_updated_next_departures after update on departures
  referencing new table as new_rows old table as old_rows for each statement execute function mark_next_departures();
create trigger departures_deleted_next_departures after delete on departures
  referencing old table as old_rows for each statement execute function mark_next_departures();
create trigger departures_truncated_next_departures after truncate on departures
  for each statement execute function mark_all_next_departures();

-- The tags of published tours, in the order of pages: a tag may be frequent on one continent and unknown on the others.
create table tour_tags (
  tour_id     uuid not null references tours (id) on delete cascade,
  tag         text collate "C" not null,
  continent   text collate "C" not null,
  name_folded text collate "C" not null,
  primary key (tour_id, tag)
);
create index tour_tags_by_name on tour_tags (tag, continent, name_folded, tour_id);
insert into tour_tags (tour_id, tag, continent, name_folded)
select distinct t.id, unnest(t.tags), t.continent, t.name_folded from tours t where t.status = 'published';

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

-- Last, because it stops the readers of the rules until the migration ends.
drop index price_rules_tenant;
