-- The tours of a tag in the order of the names that a list in a language shows (ADR 40).

-- Lists in a language read the tours without translations by their own names.
alter table tour_tags add column is_translated boolean not null default false;
update tour_tags g set is_translated = true from tours t where t.id = g.tour_id and t.translation_names <> '{}';
create index tour_tags_untranslated on tour_tags (tag, continent, name_folded, tour_id) where not is_translated;

-- Keeps tour_tags equal to the tags of the published tours.
create or replace function keep_tour_tags() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from tour_tags g using old_rows o, new_rows n
    where g.tour_id = o.id and n.id = o.id
      and (o.tags, o.continent, o.name_folded, o.status, o.translation_names = '{}')
        is distinct from (n.tags, n.continent, n.name_folded, n.status, n.translation_names = '{}');
  end if;
  insert into tour_tags (tour_id, tag, continent, name_folded, is_translated)
  select distinct t.id, unnest(t.tags), t.continent, t.name_folded, t.translation_names <> '{}' from new_rows t where t.status = 'published'
  on conflict do nothing;
  return null;
end $$;

-- The rows of tour_names, once for each tag of the tour.
create table tour_tag_names (
  tour_id     uuid not null references tours (id) on delete cascade,
  tag         text collate "C" not null,
  language    text collate "C" not null,
  languages   text collate "C" not null,
  continent   text collate "C" not null,
  name_folded text collate "C" not null,
  primary key (tour_id, tag, language)
);
insert into tour_tag_names (tour_id, tag, language, languages, continent, name_folded)
select n.tour_id, g.tag, n.language, n.languages, n.continent, n.name_folded
from tour_names n join tour_tags g on g.tour_id = n.tour_id;
create index tour_tag_names_by_name on tour_tag_names (tag, languages, language, continent, name_folded, tour_id);

insert into database_rights (object, role, rights)
values
  ('tour_tag_names', 'tour_platform_api', 'select'),
  ('tour_tag_names', 'tour_platform_queue', '');
select grant_database_roles();

-- Keeps tour_names equal to the names of the published tours, and tour_tag_names to their names and tags.
create or replace function keep_tour_names() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from tour_names g using old_rows o, new_rows n
    where g.tour_id = o.id and n.id = o.id
      and (o.language, o.translation_names, o.continent, o.country, o.name_folded, o.status)
        is distinct from (n.language, n.translation_names, n.continent, n.country, n.name_folded, n.status);
    delete from tour_tag_names g using old_rows o, new_rows n
    where g.tour_id = o.id and n.id = o.id
      and (o.language, o.translation_names, o.continent, o.name_folded, o.status, o.tags)
        is distinct from (n.language, n.translation_names, n.continent, n.name_folded, n.status, n.tags);
  end if;
  insert into tour_names (tour_id, language, languages, continent, country, name_folded, searched)
  select t.id, name.language, t.language || of_tour.languages, t.continent, t.country, name.folded,
    case when name.language = t.language then name.folded else name.folded || e'\x01' || t.name_folded end
  from new_rows t
    cross join lateral (
      select string_agg(case when l.value = '' then ' -' else ' +' end || l.key, '' order by l.key collate "C") as languages
      from jsonb_each_text(t.translation_names) l) of_tour
    cross join lateral (
      select t.language, t.name_folded as folded
      union all
      select l.key, l.value from jsonb_each_text(t.translation_names) l where l.value <> '') name
  where t.status = 'published' and t.translation_names <> '{}'
  on conflict do nothing;
  insert into tour_tag_names (tour_id, tag, language, languages, continent, name_folded)
  select n.tour_id, g.tag, n.language, n.languages, n.continent, n.name_folded
  from new_rows t join tour_names n on n.tour_id = t.id cross join lateral (select distinct unnest(t.tags) as tag) g
  on conflict do nothing;
  return null;
end $$;
