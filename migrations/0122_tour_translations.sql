-- The languages of the catalog: the language of each tour, its translations, and the names by which lists in a language are sorted and
-- searched (ADR 40).

alter table tours
  -- The language of the tour's own texts, as a language tag of BCP 47.
  add column language text collate "C" not null default 'en'
    constraint tours_language_form check (language ~ '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$' and char_length(language) <= 35),
  -- The translated texts by language tag: {"de": {"name": "…", "summary": "…"}}. A text that is missing is shown in the tour's language.
  add column translations jsonb not null default '{}'
    constraint tours_translations_object check (jsonb_typeof(translations) = 'object'),
  -- The translated names, folded as tours.name_folded is, by language tag. An empty text: the translation has no name.
  add column translation_names jsonb not null default '{}'
    constraint tours_translation_names_object check (jsonb_typeof(translation_names) = 'object'),
  add constraint tours_language_not_translated check (not jsonb_exists(translations, language));

-- Lists in a language read these tours in the order of their own names.
create index tours_untranslated on tours (continent, name_folded, id) where status = 'published' and translation_names = '{}';
create index tours_untranslated_by_country on tours (continent, country, name_folded, id)
  where status = 'published' and translation_names = '{}';

-- Merges the translations of a catalog file into the stored ones, text by text. A null clears a text, a language, or all translations.
-- Returns the columns of the file, which have translations, with both columns of the translations as they are after the import.
create function merge_translations(columns jsonb, stored jsonb, stored_names jsonb) returns jsonb
  language sql immutable
  return columns || (
    select jsonb_build_object(
      'translations', coalesce(jsonb_object_agg(m.language, m.texts), '{}'),
      'translation_names', coalesce(jsonb_object_agg(m.language, case
        when not jsonb_exists(m.texts, 'name') then '""'
        else coalesce(columns #> array['translation_names', m.language], stored_names -> m.language) end), '{}'))
    from (
      select l.language, jsonb_strip_nulls(case jsonb_typeof(columns #> array['translations', l.language])
          when 'null' then '{}'
          when 'object' then coalesce(stored -> l.language, '{}') || (columns #> array['translations', l.language])
          else stored -> l.language end) as texts
      from (
        select jsonb_object_keys(stored) as language where columns -> 'translations' <> 'null'
        union
        select jsonb_object_keys(case jsonb_typeof(columns -> 'translations') when 'object' then columns -> 'translations' else '{}' end)
      ) l
    ) m
    where m.texts <> '{}');

-- The folded names of each published tour that has a translation, by language: the tour's own name, and each translated one. Lists in a
-- language read them in the order of the index.
create table tour_names (
  tour_id     uuid not null references tours (id) on delete cascade,
  language    text collate "C" not null,
  -- The languages of the tour: its own one, then those of its translations in their order, each after + if the translation has a name, or
  -- after -. Tours with the same languages show the same one to a visitor, so a list reads each combination in order, without a filter.
  languages   text collate "C" not null,
  continent   text collate "C" not null,
  country     char(2) not null,
  name_folded text collate "C" not null,
  -- The name in this language, and the tour's own name: a search finds both. The character between them occurs in no name.
  searched    text collate "C" not null,
  primary key (tour_id, language)
);
create index tour_names_by_name on tour_names (languages, language, continent, name_folded, tour_id);
create index tour_names_by_country on tour_names (languages, language, continent, country, name_folded, tour_id);
create index tour_names_search on tour_names using gin (searched gin_trgm_ops);

-- Keeps tour_names equal to the names of the published tours.
create function keep_tour_names() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from tour_names g using old_rows o, new_rows n
    where g.tour_id = o.id and n.id = o.id
      and (o.language, o.translation_names, o.continent, o.country, o.name_folded, o.status)
        is distinct from (n.language, n.translation_names, n.continent, n.country, n.name_folded, n.status);
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
  return null;
end $$;
create trigger tours_inserted_names after insert on tours
  referencing new table as new_rows for each statement execute function keep_tour_names();
create trigger tours_updated_names after update on tours
  referencing new table as new_rows old table as old_rows for each statement execute function keep_tour_names();

insert into database_rights (object, role, rights)
values
  ('tour_names', 'tour_platform_api', 'select'),
  ('tour_names', 'tour_platform_queue', '');
select grant_database_roles();
