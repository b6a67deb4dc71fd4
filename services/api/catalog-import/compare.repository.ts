import { CHANGEABLE_DEPARTURE_COLUMNS, STORED_TOUR_COLUMNS, TOUR_DEFAULTS } from './catalog-schema';
import { codesOf } from '../catalog/known-categories';
import { removedCodes, withoutRemoved } from './changed-categories';
import { isMeant, isStagedFor, startTimeAfter } from './match-departures';
import { queryStage, type Stage } from './stage.repository';

/**
 * Stages the changes that only a pruning import makes. Publishes archived tours that the files have, unless the entry has a status. Removes
 * departures that are missing from the list of their tour. Archives tours that are missing from the files.
 * @param slugs of the files; undefined: the files contain only departures, so no tour is archived
 */
export async function stageRemovals(stage: Stage, slugs: string[] | undefined): Promise<void> {
  await queryStage(
    stage,
    `update staged_tours s set columns = s.columns || '{"status": "published"}' from tours t
     where t.slug = s.slug and t.status = 'archived' and not jsonb_exists(s.columns, 'status');
     with listed as materialized (
       select s.entry, t.id as tour_id, ${startTimeAfter('s', 't')} as start_time
       from staged_tours s join tours t on t.slug = s.slug where s.has_list)
     insert into staged_departures (entry, departure_date, start_time, departure_id)
     select l.entry, d.departure_date, coalesce(d.start_time, l.start_time), d.id
     from listed l join departures d on d.tour_id = l.tour_id
     where not exists (
       select from staged_departures g
       where g.entry = l.entry and g.departure_date = d.departure_date and ${isMeant('g', 'd', 'l.start_time')})`,
  );
  if (!slugs) return;
  await queryStage(
    stage,
    `insert into staged_tours (entry, slug, columns)
     select -row_number() over (order by slug), slug, '{"status": "archived"}'
     from tours where status <> 'archived' and slug <> all(?)`,
    [slugs],
  );
}

/**
 * Compares the staged rows with the catalog. Writes the tours that differ to `changed_tours`, and the departures that differ to
 * `changed_departures`, with their values after the import. The same statement runs before the operator confirms the import, and again
 * under the locks. Entries with a known digest have no staged rows (known-digests.repository.ts).
 */
export async function compareStaged(stage: Stage): Promise<void> {
  await queryStage(stage, COMPARE_RESOURCES);
  await queryStage(stage, COMPARE_POINTS);
  await queryStage(stage, COMPARE, [JSON.stringify(TOUR_DEFAULTS)]);
}

/** Merges the columns that an entry gives into the stored resource, or into the defaults of a new one. Writes those that differ. */
const COMPARE_RESOURCES = `
  insert into changed_resources (entry, action, id, code, name, kind, places, units, turnaround, time_zone, phone, email)
  select s.entry, case when r.id is null then 'insert' else 'update' end, r.id, s.code, m.name, m.kind, m.places, m.units, m.turnaround,
    m.time_zone, m.phone, m.email
  from staged_resources s left join resources r on r.code = s.code
  cross join lateral jsonb_populate_record(r,
    case when r.id is null then '{"kind": "vehicle", "units": 1, "turnaround": 0, "time_zone": "UTC"}'::jsonb else '{}' end
      || s.columns) as m
  where r.id is null or m is distinct from r`;

/**
 * Merges the columns that an entry gives into the stored pickup point, and its translations by language: null removes one. Writes the points that
 * differ.
 */
const COMPARE_POINTS = `
  insert into changed_pickup_points (entry, action, code, name, address, lat, lng, directions, google_place_id, translations)
  select s.entry, case when p.code is null then 'insert' else 'update' end, s.code, m.name, m.address, m.lat, m.lng, m.directions,
    m.google_place_id, t.translations
  from staged_pickup_points s left join pickup_points p on p.code = s.code
  cross join lateral jsonb_populate_record(p, s.columns - 'translations') as m
  cross join lateral (
    select coalesce(jsonb_object_agg(tag, words) filter (where words <> 'null'), '{}') as translations
    from jsonb_each(coalesce(p.translations, '{}') || coalesce(nullif(s.columns->'translations', 'null'), '{}')) as named (tag, words)
  ) as t
  where p.code is null
    or (m.name, m.address, m.lat, m.lng, m.directions, m.google_place_id, t.translations)
      is distinct from (p.name, p.address, p.lat, p.lng, p.directions, p.google_place_id, p.translations)`;

const columnsOf = (row?: string) =>
  STORED_TOUR_COLUMNS.map((column) => (row ? `${row}.${column}` : column)).join(', ');

/**
 * Returns the SQL of the prices in minor units: those of the file replace the stored ones, category by category. A new departure has no
 * stored prices, and one of a tour with a new currency keeps none.
 */
const PRICES = `jsonb_strip_nulls(
  case when d.id is null or (m.is_repriced and s.position is not null) then '{}' else d.prices_minor end
  || coalesce((select jsonb_object_agg(code, (nullif(amount, '')::numeric * m.minor_units)::bigint)
               from jsonb_each_text(s.prices) as given (code, amount)), '{}'))`;

/** Returns the SQL of a field: the value of the file, otherwise the stored value. */
const kept = (column: string) =>
  `case when '${column}' = any(s.emptied) then null else coalesce(s.${column}, d.${column}) end`;

/** Returns the SQL of `closes_at` or `closes_before`: the one that a file gives replaces the other one that is stored. */
const closing = (column: string, other: string) =>
  `case when s.${other} is not null then null else ${kept(column)} end`;

/** Returns the SQL of the values of a departure that an import may change. */
const values = (row: string) =>
  `(${CHANGEABLE_DEPARTURE_COLUMNS.map((column) => `${row}.${column}`).join(', ')})`;

const COMPARE = `
  with clock as materialized (select clock_timestamp() as at),
  -- Merges the columns that an entry gives into the stored tour, or into the defaults of a new one.
  merged as materialized (
    select s.entry, case when s.entry < 0 then 'archive'
                         when t.id is not null then 'update'
                         when s.columns is not null then 'insert' end as action,
           m is distinct from t as differs, coalesce(t.id, gen_random_uuid()) as tour_id,
           coalesce(m.currency <> t.currency, false) as is_repriced,
           power(10, m.currency_digits)::numeric as minor_units, t.start_time as stored_start_time, t.time_zone as stored_time_zone,
           ${codesOf('m.categories')} as codes, ${removedCodes('t.categories', 'm.categories')} as removed,
           ${columnsOf('m')}
    from staged_tours s
    left join tours t on t.slug = s.slug
    cross join lateral jsonb_populate_record(t,
      case when t.id is null then ?::jsonb else '{}' end || case when jsonb_exists(s.columns, 'translations')
        then merge_translations(s.columns, coalesce(t.translations, '{}'), coalesce(t.translation_names, '{}'))
        else coalesce(s.columns, '{}') end) as m
  ),
  -- Merges the values of each row of the files into the stored departure, or into the defaults of a new one. A new departure gets its id
  -- from the table. A stored departure keeps its own start time, or none.
  merged_departures as (
    select s.entry, s.position, s.is_scheduled, m.tour_id, m.stored_start_time, m.stored_time_zone, d as stored, d.id, s.departure_date,
           case when d.id is null then s.start_time else d.start_time end as start_time,
           ${kept('return_date')} as return_date,
           coalesce(s.seats_total, d.seats_total) as seats_total,
           ${withoutRemoved('given.prices', 'm')} as prices_minor,
           case when s.position is null then 'cancelled' else coalesce(s.status, d.status, 'scheduled') end as status,
           ${closing('closes_at', 'closes_before')} as closes_at,
           ${closing('closes_before', 'closes_at')} as closes_before,
           ${kept('uses')} as uses
    from staged_departures s
    join merged m on m.entry = s.entry
    left join departures d on d.tour_id = m.tour_id and d.departure_date = s.departure_date
      and ${isStagedFor('s', 'd', 'm.start_time')}
    cross join lateral (select ${PRICES} as prices) as given
  ),
  -- Decides the action for each departure. Deletes a missing departure that has no hold or lead. Cancels a missing departure that has one,
  -- unless the departure is past.
  decided as (
    select d.*, case
        when d.position is null then case
          when d.id is null then null
          when not exists (select from seat_holds h where h.departure_id = d.id)
            and not exists (select from booking_leads l where l.departure_id = d.id) then 'delete'
          when (d.stored).status <> 'cancelled' and not departure_is_past(
            d.departure_date, coalesce(d.start_time, d.stored_start_time), d.stored_time_zone, (select at from clock)) then 'cancel' end
        when d.id is null then 'insert'
        when d.is_scheduled then null
        when ${values('d')} is distinct from ${values('(d.stored)')}
          then 'update' end as action
    from merged_departures d
  ),
  changed as (
    insert into changed_departures (entry, position, action, id, tour_id, departure_date, start_time, return_date, seats_total,
      prices_minor, status, closes_at, closes_before, uses)
    select entry, position, action, id, tour_id, departure_date, start_time, return_date, seats_total, prices_minor, status, closes_at,
      closes_before, uses
    from decided where action is not null
    union all
    -- Adds the other departures of a tour that loses categories with a price.
    select m.entry, null, 'drop_prices', d.id, d.tour_id, d.departure_date, d.start_time, d.return_date, d.seats_total,
      d.prices_minor - m.removed, d.status, d.closes_at, d.closes_before, d.uses
    from merged m join departures d on d.tour_id = m.tour_id
    where jsonb_exists_any(d.prices_minor, m.removed) and ${withoutRemoved('d.prices_minor', 'm')} <> d.prices_minor
      and not exists (select from decided o where o.id = d.id and o.action is not null)
    returning entry
  )
  -- Adds the tours of which only departures change, with the action touch: the import increments their revision.
  insert into changed_tours (entry, action, is_repriced, id, ${columnsOf()})
  select entry, case when differs then action else 'touch' end, is_repriced, tour_id, ${columnsOf()}
  from merged
  where action is not null and (differs or entry in (select entry from changed))`;
