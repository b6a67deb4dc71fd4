import { codesOf } from '../catalog/known-categories';
import type { Issue } from './catalog-file';
import { placeJson, queryStage, type Stage } from './stage.repository';

/** The most warnings of changed tours. */
const WARNINGS_MAX = 1000;

/**
 * Finds what may be wrong in the tours that the import changes. Nothing of it refuses the import. Runs after compareStaged, because it reads
 * the changes.
 */
export async function findWarnings(stage: Stage): Promise<Issue[]> {
  const rows = await queryStage<{ warning: Issue }>(stage, WARNINGS, [WARNINGS_MAX]);
  return rows.map(({ warning }) => warning);
}

/** @rule what an import warns of in a changed tour: test/catalog/categories.long.test.ts */
const WARNINGS = `
  -- The price categories that a tour gets or changes.
  with category as (
    select c.entry, place - 1 as place, given->>'code' as code, given->>'kind' as kind, (given->>'seats')::integer as seats,
           coalesce(given->'with'->>0, given->>'at_most') as companion
    from changed_tours c left join tours t on t.id = c.id
    cross join jsonb_array_elements(c.categories) with ordinality as listed (given, place)
    where c.categories is distinct from t.categories
  ),
  -- The uses without minutes that a tour gets or changes: each departure of a day keeps the resource until the day ends.
  endless_use as materialized (
    select c.entry, c.id as tour_id, c.start_time, used->>'resource' as resource
    from changed_tours c left join tours t on t.id = c.id cross join jsonb_array_elements(c.uses) as used
    where used->>'minutes' is null and (c.uses, c.start_time) is distinct from (t.uses, t.start_time)
  ),
  warning (entry, field, message) as (
    -- A spreadsheet that reads 00123 as a number writes 123. The staged tour of a departures file alone is no new tour.
    select c.entry, 'slug', format('differs from the slug of the tour %s by leading zeros only: spreadsheets remove them', t.slug)
    from changed_tours c join tours t on ltrim(t.slug, '0') = ltrim(c.slug, '0') and t.slug <> c.slug
    where c.action = 'insert'
    union all
    -- A category that says no seats takes one.
    select entry, format('categories[%s].seats', place),
           format('of the supplement %s is %s: each unit takes a seat of the departure from a traveller; seats 0 takes none', code, seats)
    from category where kind = 'supplement' and seats > 0
    union all
    select entry, format('categories[%s]', place),
           format('is %s, the first category, which cannot be booked alone: it needs %s. So no booking without a date is possible', code, companion)
    from category where place = 0 and companion is not null
    union all
    select c.entry, format('translations.%s.categories.%s', given.tag, named.code),
           format('is no category of the tour; known are %s', array_to_string(${codesOf('c.categories')}, ', '))
    from changed_tours c join staged_tours s on s.entry = c.entry
    cross join jsonb_each(nullif(s.columns->'translations', 'null')) as given (tag, texts)
    cross join jsonb_object_keys(nullif(nullif(given.texts, 'null')->'categories', 'null')) as named (code)
    where named.code <> all(${codesOf('c.categories')})
    union all
    select e.entry, 'uses', format('has no minutes for %s: the tour has several departures on a day, and each keeps it until the day ends', e.resource)
    from endless_use e
    where e.entry in (select s.entry from staged_departures s join endless_use o on o.entry = s.entry where s.position is not null
        group by s.entry, s.departure_date having count(distinct coalesce(s.start_time, o.start_time)) > 1)
      or e.tour_id in (select d.tour_id from departures d where d.tour_id in (select tour_id from endless_use)
        group by d.tour_id, d.departure_date having count(*) > 1)
    union all
    select c.entry, format('translations.%s.questions.%s', given.tag, named.code), 'is no question of the tour'
    from changed_tours c join staged_tours s on s.entry = c.entry
    cross join jsonb_each(nullif(s.columns->'translations', 'null')) as given (tag, texts)
    cross join jsonb_object_keys(nullif(nullif(given.texts, 'null')->'questions', 'null')) as named (code)
    where not exists (select from jsonb_array_elements(coalesce(c.questions, '[]')) as asked where asked->>'code' = named.code)
    union all
    select c.entry, 'pickup',
           'is required with the booking: clients which send only the specification''s fields are refused'
    from changed_tours c left join tours t on t.id = c.id
    where c.pickup @> '{"required": true, "until": "booking"}'
      and (t.pickup @> '{"required": true, "until": "booking"}') is not true
    union all
    -- A question that the tour gets, or that becomes required.
    select c.entry, format('questions[%s]', place - 1),
           format('%s is required with the booking: clients which send only the specification''s fields are refused', asked->>'code')
    from changed_tours c left join tours t on t.id = c.id
    cross join jsonb_array_elements(coalesce(c.questions, '[]')) with ordinality as listed (asked, place)
    where asked->>'until' = 'booking' and (asked->>'required')::boolean
      and not exists (
        select from jsonb_array_elements(coalesce(t.questions, '[]')) as stored
        where stored->>'code' = asked->>'code' and stored->>'until' = 'booking' and (stored->>'required')::boolean)
  )
  select ${placeJson('s')}::jsonb || jsonb_build_object('field', w.field, 'message', w.message) as warning
  from warning w join staged_tours s on s.entry = w.entry
  order by w.entry, w.field limit ?`;
