import { CLOCK } from '../../platform/database';
import { describePlace, type Issue, type Place } from './catalog-file';
import { STORED_TOUR_COLUMNS, TOUR_DEFAULTS } from './catalog-schema';
import { queryStage, type Stage } from './stage.repository';

/**
 * Stages the changes of a pruning import that are not in its entries. Archived tours that the files have are published again, unless
 * the entry has a status. Departures that a list lacks are removed.
 * @param slugs of the files; undefined: the files contain only departures, so no tour is archived
 */
export async function stageRemovals(stage: Stage, slugs: string[] | undefined): Promise<void> {
  await queryStage(
    stage,
    `update staged_tours s set columns = s.columns || '{"status": "published"}' from tours t
     where t.slug = s.slug and t.status = 'archived' and not jsonb_exists(s.columns, 'status');
     insert into staged_departures (entry, departure_date)
     select s.entry, d.departure_date
     from staged_tours s join tours t on t.slug = s.slug join departures d on d.tour_id = t.id
     where s.has_list and not exists (
       select from staged_departures g where g.entry = s.entry and g.departure_date = d.departure_date)`,
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
 * Compares the staged rows with the catalog, and stages the rows that differ: `changed_tours` gets the tours and `changed_departures` the
 * departures as the import leaves them. The same statement runs before the import asks, and again under the locks. It decides
 * which tours and departures are unchanged, of the entries whose digest is not known (known-digests.repository.ts).
 */
export async function compareStaged(stage: Stage): Promise<void> {
  await queryStage(stage, COMPARE, [JSON.stringify(TOUR_DEFAULTS)]);
}

const columnsOf = (row?: string) =>
  STORED_TOUR_COLUMNS.map((column) => (row ? `${row}.${column}` : column)).join(', ');

/** Returns the SQL of a price in minor units: that of the file, otherwise the stored price if its currency does not change. */
const price = (category: string) => `case when '${category}' = any(s.emptied) then null
  else coalesce((s.${category} * m.minor_units)::bigint,
                case when not m.is_repriced then (d.prices_minor->>'${category}')::bigint end) end`;

/** Returns the SQL of a field: the value of the file, otherwise the stored value. */
const kept = (column: string) =>
  `case when '${column}' = any(s.emptied) then null else coalesce(s.${column}, d.${column}) end`;

const COMPARE = `
  with clock as materialized (select clock_timestamp() as at),
  -- Merges the columns that an entry gives into the stored tour, or into the defaults of a new one.
  merged as materialized (
    select s.entry, case when s.entry < 0 then 'archive'
                         when t.id is not null then 'update'
                         when s.columns is not null then 'insert' end as action,
           m is distinct from t as differs, coalesce(t.id, gen_random_uuid()) as tour_id,
           coalesce(m.currency <> t.currency, false) as is_repriced,
           power(10, m.currency_digits)::numeric as minor_units, ${columnsOf('m')}
    from staged_tours s
    left join tours t on t.slug = s.slug
    cross join lateral jsonb_populate_record(t,
      case when t.id is null then ?::jsonb || s.columns else coalesce(s.columns, '{}') end) as m
  ),
  -- Merges each departure in the same way. The table gives a new one its id.
  merged_departures as (
    select s.entry, s.position is null as is_lacking, m.tour_id, d as stored, d.id, s.departure_date,
           ${kept('return_date')} as return_date,
           coalesce(s.seats_total, d.seats_total) as seats_total,
           case when s.position is null then d.prices_minor else ('{"adult": ' || (s.adult * m.minor_units)::bigint
             || coalesce(', "child": ' || ${price('child')}, '')
             || coalesce(', "single_supplement": ' || ${price('single_supplement')}, '') || '}')::jsonb
           end as prices_minor,
           case when s.position is null then 'cancelled' else coalesce(s.status, d.status, 'scheduled') end as status,
           ${kept('closes_at')} as closes_at
    from staged_departures s
    join merged m on m.entry = s.entry
    left join departures d on d.tour_id = m.tour_id and d.departure_date = s.departure_date
  ),
  -- Decides what becomes of each departure. A lacking one is deleted; if a hold or lead names it, a future one is cancelled.
  decided as (
    select d.*, case
        when d.is_lacking then case
          when d.id is null then null
          when not exists (select from seat_holds h where h.departure_id = d.id)
            and not exists (select from booking_leads l where l.departure_id = d.id) then 'delete'
          when (d.stored).status <> 'cancelled' and d.departure_date >= (
            select tour_today(t.time_zone, clock.at) from clock, tours t where t.id = d.tour_id) then 'cancel' end
        when d.id is null then 'insert'
        when (d.return_date, d.seats_total, d.prices_minor, d.status, d.closes_at) is distinct from
          ((d.stored).return_date, (d.stored).seats_total, (d.stored).prices_minor, (d.stored).status, (d.stored).closes_at)
          then 'update' end as action
    from merged_departures d
  ),
  changed as (
    insert into changed_departures (entry, action, id, tour_id, departure_date, return_date, seats_total, prices_minor,
      status, closes_at)
    select entry, action, id, tour_id, departure_date, return_date, seats_total, prices_minor, status, closes_at
    from decided where action is not null
    returning entry
  )
  -- A tour whose departures alone change is touched: its revision grows.
  insert into changed_tours (entry, action, is_repriced, id, ${columnsOf()})
  select entry, case when differs then action else 'touch' end, is_repriced, tour_id, ${columnsOf()}
  from merged
  where action is not null and (differs or entry in (select entry from changed))`;

/** Finds the issues that depend on all files or on the catalog, also in entries that have other issues. */
export async function findIssues(stage: Stage): Promise<Issue[]> {
  return [...(await findUnknownTimeZones(stage)), ...(await findRefusedChanges(stage))];
}

/** Finds entries with an unknown time zone. Checks each name once: both the runtime and the database must know it. */
async function findUnknownTimeZones(stage: Stage): Promise<Issue[]> {
  const zones = await queryStage<{ name: string; isKnown: boolean }>(
    stage,
    `select name, name in (select name from pg_timezone_names) as "isKnown"
     from (select distinct columns->>'time_zone' as name from staged_tours) as given where name is not null`,
  );
  const unknown = zones.filter(({ name, isKnown }) => !isKnown || !isIanaName(name)).map(({ name }) => name);
  if (unknown.length === 0) return [];
  const places = await queryStage<{ place: Place }>(
    stage,
    `select ${placeJson('s')} as place from staged_tours s where columns->>'time_zone' = any(?) order by entry`,
    [unknown],
  );
  const message = 'must be an IANA time zone that the database knows, such as Europe/Berlin';
  return places.map(({ place }) => ({ ...place, field: 'time_zone', message }));
}

/** Intl also accepts offsets, but PostgreSQL interprets their sign the other way round. */
function isIanaName(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

interface FoundIssue {
  place: Place;
  field: string;
  message: string;
  /** The place of the first departure with the date. */
  first: Place | null;
  firstField: string | null;
}

async function findRefusedChanges(stage: Stage): Promise<Issue[]> {
  const rows = await queryStage<FoundIssue>(stage, REFUSED);
  return rows.map(({ place, field, message, first, firstField }) => ({
    ...place,
    field,
    message: first ? `${message} ${describePlace(first, firstField ?? '')}` : message,
  }));
}

const placeJson = (row: string) =>
  `json_strip_nulls(json_build_object('file', ${row}.file, 'line', ${row}.line, 'index', ${row}.index))`;

const MOST_MINOR_UNITS = 1_000_000_000_000;

const REFUSED = `
  ${CLOCK},
  -- The tour of each entry, stored or new. The currency is the file's, or the stored one.
  tour as materialized (
    select s.entry, s.slug, s.file, s.line, s.index, s.columns is null as has_departures_alone, t.id,
           t.currency as stored_currency, coalesce(s.columns->>'currency', t.currency) as currency,
           coalesce((s.columns->>'currency_digits')::integer, t.currency_digits) as digits, s.base_price,
           s.columns->>'currency' <> t.currency as is_repriced
    from staged_tours s left join tours t on t.slug = s.slug
    where s.entry >= 0
  ),
  departure as not materialized (
    select s.*, t.id as tour_id, t.slug, t.currency, t.digits
    from staged_departures s join tour t on t.entry = s.entry where s.position is not null
  ),
  second_date as (
    select d.*, row_number() over same_date as number, first_value(d.position) over same_date as first_position
    from departure d
    where (d.entry, d.departure_date) in (
      select entry, departure_date from staged_departures group by entry, departure_date having count(*) > 1)
    window same_date as (partition by d.entry, d.departure_date order by d.position)
  ),
  amount as (
    select d.entry, d.position, given.field, given.amount, d.currency, d.digits from departure d
    cross join lateral (values ('prices.adult', d.adult), ('prices.child', d.child),
      ('prices.single_supplement', d.single_supplement)) as given(field, amount)
    where greatest(scale(d.adult), scale(d.child), scale(d.single_supplement)) > d.digits
      or greatest(d.adult, d.child, d.single_supplement) * power(10, d.digits)::numeric > ${MOST_MINOR_UNITS}
    union all
    select entry, null, 'base_price', base_price, currency, digits from tour
  ),
  -- Live holds and standing leads of real seats were promised a price in the stored currency.
  repriced as materialized (
    select t.*, exists (select from clock, departures d join seat_holds h on h.departure_id = d.id
                        where d.tour_id = t.id and not h.sandbox and hold_lives(h.status, h.expires_at, clock.at))
             or exists (select from clock, booking_leads l
                        where l.tour_id = t.id and not l.sandbox and lead_stands(l.status, l.payment_due_at, clock.at)) as is_in_use
    from tour t where t.is_repriced
  ),
  -- Each issue with the field, and the position of a departure.
  issue (entry, position, rank, field, message, first_position) as (
    select entry, position, 1, 'departure_date', 'is the date of a second departure of the tour; the first is at',
           first_position
    from second_date where number > 1
    union all
    select entry, position, 2, field,
           case when scale(amount) > digits
                then format('must have at most %s decimals: that is what %s has', digits, currency)
                else 'is more than a price may be' end, null
    from amount
    where scale(amount) > digits or amount * power(10, digits)::numeric > ${MOST_MINOR_UNITS}
    union all
    select entry, null, 3, 'tour_slug', format('names no tour: there is none with the slug %s', slug), null
    from tour where has_departures_alone and id is null
    union all
    select entry, null, 4, 'currency',
           format('must stay %s: the tour has live holds or standing bookings', stored_currency), null
    from repriced where is_in_use
    union all
    -- An issue with a date of the list may be the reason why a departure seems to be missing.
    select r.entry, null, 4, 'currency',
           'changes, so the file must price every departure of the tour; missing: '
             || string_agg(d.departure_date::text, ', ' order by d.departure_date), null
    from repriced r join departures d on d.tour_id = r.id
    where not r.is_in_use and not exists (
      select from departure s
      where s.entry = r.entry and (s.departure_date is null or s.departure_date = d.departure_date))
    group by r.entry
    union all
    select s.entry, s.position, 5, 'seats_total',
           format('must be at least %s: so many seats of %s on %s are held or booked',
                  seats_taken(d.id, clock.at), s.slug, s.departure_date), null
    from clock, departure s join departures d on d.tour_id = s.tour_id and d.departure_date = s.departure_date
    where s.seats_total < d.seats_total and s.seats_total < seats_taken(d.id, clock.at)
  )
  -- A departure of a tour's list has the place of the tour.
  select case when d.file is null then ${placeJson('t')} else ${placeJson('d')} end as place,
         case when d.index is null then i.field else format('departures[%s].%s', d.index, i.field) end as field, i.message,
         case when f.entry is null then null when f.file is null then ${placeJson('t')} else ${placeJson('f')} end as first,
         'departures[' || f.index || ']' as first_field
  from issue i
  join tour t on t.entry = i.entry
  left join staged_departures d on d.position = i.position
  left join staged_departures f on f.position = i.first_position
  order by i.entry, i.rank, i.position`;
