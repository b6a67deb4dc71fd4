import { CLOCK } from '../../platform/database/database';
import { isTimeZone } from '../../platform/forms/days';
import { describePlace, type Issue, type Place } from './catalog-file';
import type { OtherList } from './cut-json';
import { MINOR_UNITS_MAX } from '../pricing/currency';
import { PICKUP_CODE } from '../questions/answers';
import { LANGUAGES_MAX, TOO_MANY_LANGUAGES } from './language-field';
import { nearestName } from './field-checks';
import { codesOf } from '../catalog/known-categories';
import { categoriesAfter, removedCodes } from './changed-categories';
import type { ResourceBusyError } from '../resources/busy-trips';
import { departureName, isMeant, isOnlyRow, startTimeAfter } from './match-departures';
import { placeJson, queryStage, type Stage } from './stage.repository';

/**
 * Finds the issues that depend on all files or on the catalog, also in entries that have other issues. Runs after compareStaged, because
 * it reads the changes.
 */
export async function findIssues(stage: Stage): Promise<Issue[]> {
  const unknown = await findUnknownTimeZones(stage);
  return [
    ...(await describeUnknownTimeZones(stage, unknown)),
    ...(await findNameless(stage, 'resources', 'resource.name')),
    ...(await findNameless(stage, 'pickup_points', 'pickup_point.name')),
    ...(await findRefusedChanges(stage, unknown)),
  ];
}

/** Returns the time zones of the files that the runtime or the database does not know. Checks each name once. */
async function findUnknownTimeZones(stage: Stage): Promise<string[]> {
  const zones = await queryStage<{ name: string; isKnown: boolean }>(
    stage,
    `select name, name in (select name from pg_timezone_names) as "isKnown"
     from (select distinct columns->>'time_zone' as name from staged_tours) as given where name is not null`,
  );
  return zones.filter(({ name, isKnown }) => !isKnown || !isTimeZone(name)).map(({ name }) => name);
}

/** Finds the new rows of a list beside the tours that have no name. @param field of the name in an entry */
async function findNameless(stage: Stage, list: OtherList, field: string): Promise<Issue[]> {
  const places = await queryStage<{ place: Place }>(
    stage,
    `select ${placeJson('s')} as place from changed_${list} c join staged_${list} s on s.entry = c.entry
     where c.name is null order by s.entry`,
  );
  return places.map(({ place }) => ({ ...place, field, message: 'is required' }));
}

async function describeUnknownTimeZones(stage: Stage, unknown: string[]): Promise<Issue[]> {
  if (unknown.length === 0) return [];
  const places = await queryStage<{ place: Place; name: string }>(
    stage,
    `select ${placeJson('s')} as place, columns->>'time_zone' as name
     from staged_tours s where columns->>'time_zone' = any(?) order by entry`,
    [unknown],
  );
  const messages = new Map(unknown.map((name) => [name, describeUnknown(name)]));
  return places.map(({ place, name }) => ({ ...place, field: 'time_zone', message: messages.get(name)! }));
}

function describeUnknown(name: string): string {
  const near = nearestName(name, Intl.supportedValuesOf('timeZone'));
  const end = near === undefined ? 'such as Europe/Berlin' : `did you mean ${near}?`;
  return `must be an IANA time zone that the database knows, ${end}`;
}

interface FoundIssue {
  place: Place;
  field: string;
  message: string;
  /** The place of the first departure with the same date and time, if the issue is about a second one. */
  first: Place | null;
  firstField: string | null;
}

/** @param unknown time zones whose clocks cannot be checked */
async function findRefusedChanges(stage: Stage, unknown: string[]): Promise<Issue[]> {
  const rows = await queryStage<FoundIssue>(stage, REFUSED, [unknown]);
  const issues = rows.map(({ place, field, message, first, firstField }) => ({
    ...place,
    field,
    message: first ? `${message} ${describePlace(first, firstField ?? '')}` : message,
  }));
  // Keeps one of several equal issues: a schedule may have the same issue for each of its departures.
  return [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()];
}

/** Returns the SQL that is true for a hold or lead whose tenant had no selling currency (isLockedInSellingCurrency). */
const isLockedInTourCurrency = (sale: string) =>
  `not jsonb_exists(${sale}.price_breakdown, 'converted_from')`;

/** Returns the SQL that is true for a local time that the clocks of the zone skip on the date. */
const isSkipped = (date: string, time: string, zone: string) =>
  `((${date} + ${time}::time) at time zone ${zone}) at time zone ${zone} <> ${date} + ${time}::time`;

/**
 * Returns the SQL that is true if a live hold, or a standing lead of a departure to come, has the category.
 * @rule a category that is in use stays: test/catalog/categories.long.test.ts
 */
const isUsed = (tour: string, code: string) =>
  `(exists (select from clock, departures d join seat_holds h on h.departure_id = d.id
            where d.tour_id = ${tour}.id and not h.sandbox and hold_lives(h.status, h.expires_at, clock.at)
              and jsonb_exists(h.party, ${code}))
    or exists (select from clock, booking_leads l left join departures d on d.id = l.departure_id
               where l.tour_id = ${tour}.id and not l.sandbox and lead_stands(l.status, l.payment_due_at, clock.at)
                 and jsonb_exists(l.party, ${code}) and (d.id is null or not departure_is_past(
                   d.departure_date, coalesce(d.start_time, ${tour}.stored_start_time), ${tour}.stored_time_zone, clock.at))))`;

/** SQL that is true for a use of a resource that does not exist. */
const isUnknownResource =
  "not exists (select from resources r where r.code = used->>'resource') " +
  "and not exists (select from staged_resources f where f.code = used->>'resource')";

/** @rule which prices by category a file may have: test/catalog/categories.long.test.ts */
const REFUSED = `
  ${CLOCK},
  -- The tour of each entry, stored or new. Its currency, time zone and start time are the file's, or the stored ones.
  tour as materialized (
    select s.entry, s.slug, s.file, s.line, s.index, s.columns is null as has_departures_alone, t.id,
           t.currency as stored_currency, coalesce(s.columns->>'currency', t.currency) as currency,
           coalesce((s.columns->>'currency_digits')::integer, t.currency_digits) as digits, s.base_price,
           s.columns->>'currency' <> t.currency as is_repriced,
           ${startTimeAfter('s', 't')} as start_time, t.start_time as stored_start_time,
           nullif(coalesce(s.columns->>'time_zone', t.time_zone, 'UTC'), unknown.name) as time_zone, t.time_zone as stored_time_zone,
           -- Empty for a tour that does not exist, and for categories with issues.
           case when s.columns is null and t.id is null then '{}' else ${codesOf(categoriesAfter('s', 't'))} end as codes,
           ${removedCodes('t.categories', `(${categoriesAfter('s', 't')})`)} as removed,
           ${categoriesAfter('s', 't')} is distinct from t.categories as has_new_categories,
           coalesce(case when jsonb_exists(s.columns, 'questions') then nullif(s.columns->'questions', 'null') else t.questions end, '[]') as questions,
           nullif(s.columns->'pickup', 'null')->'points' as pickup_points,
           case when jsonb_exists(s.columns, 'pickup') then s.columns->'pickup' <> 'null' else t.pickup is not null end as has_pickup
    from staged_tours s left join tours t on t.slug = s.slug
    left join unnest(?::text[]) as unknown (name) on unknown.name = s.columns->>'time_zone'
    where s.entry >= 0
  ),
  departure as not materialized (
    select s.*, t.id as tour_id, t.slug, t.currency, t.digits, t.time_zone, t.codes, t.start_time as tour_time,
           coalesce(s.start_time, t.start_time) as begins_at
    from staged_departures s join tour t on t.entry = s.entry where s.position is not null
  ),
  -- Numbers the rows that share their date with other rows of the same tour.
  shared as (
    select d.*, row_number() over same_start as number, first_value(d.position) over same_start as first_position
    from departure d join shared_dates x on x.entry = d.entry and x.departure_date = d.departure_date
    window same_start as (partition by d.entry, d.departure_date, d.begins_at order by d.position)
  ),
  -- Finds the new departures of dates that have stored departures, with the start times of the stored ones.
  beside as (
    select c.entry, c.position, c.departure_date, c.start_time, t.start_time as tour_time, t.slug, bool_or(b.begins_at is null) as is_beside_untimed,
           string_agg(b.begins_at, ', ' order by b.begins_at) as times
    from changed_departures c join tour t on t.entry = c.entry and t.id is not null
    join departures d on d.tour_id = t.id and d.departure_date = c.departure_date
    cross join lateral (select coalesce(d.start_time, t.start_time) as begins_at) as b
    where c.action = 'insert'
    group by c.entry, c.position, c.departure_date, c.start_time, t.start_time, t.slug
  ),
  -- Finds the stored departures of tours that change their start time or time zone.
  moved as materialized (
    select t.entry, t.slug, t.start_time as tour_time, t.time_zone, t.stored_start_time, t.stored_time_zone, d.departure_date,
           coalesce(d.start_time, t.start_time) as begins_at,
           count(*) over (partition by t.entry, d.departure_date) as of_date,
           count(*) over (partition by t.entry, d.departure_date, coalesce(d.start_time, t.start_time)) as of_time
    from tour t join departures d on d.tour_id = t.id
    where (t.start_time is distinct from t.stored_start_time or t.time_zone <> t.stored_time_zone)
      and not exists (select from changed_departures c where c.id = d.id and c.action = 'delete')
  ),
  amount as (
    select d.entry, d.position, 'prices.' || given.code as field, nullif(given.amount, '')::numeric as amount, d.currency, d.digits
    from departure d cross join lateral jsonb_each_text(d.prices) as given (code, amount)
    union all
    select entry, null, 'base_price', base_price, currency, digits from tour
  ),
  -- Finds the tours that change their currency. is_in_use: a live hold or a standing lead on real seats has its price in the stored
  -- currency. A tenant with a selling currency locks its prices in that one, so the change does not concern them.
  repriced as materialized (
    select t.*, exists (select from clock, departures d join seat_holds h on h.departure_id = d.id
                        where d.tour_id = t.id and not h.sandbox and hold_lives(h.status, h.expires_at, clock.at)
                          and ${isLockedInTourCurrency('h')})
             or exists (select from clock, booking_leads l
                        where l.tour_id = t.id and not l.sandbox and lead_stands(l.status, l.payment_due_at, clock.at)
                          and ${isLockedInTourCurrency('l')}) as is_in_use
    from tour t where t.is_repriced
  ),
  -- Finds the issues. An issue of a departure also has the position of the departure.
  issue (entry, position, rank, field, message, first_position) as (
    select entry, position, 1, 'departure_date', case when begins_at is null
             then 'is the date of a second departure of the tour; the first is at'
             else format('is the date of a second departure of the tour at %s; the first is at', begins_at) end, first_position
    from shared where number > 1
    union all
    select entry, position, 1, 'start_time', format('is required: the tour has several departures on %s', departure_date), null
    from shared where begins_at is null and number = 1 and exists (
      select from shared o
      where o.entry = shared.entry and o.departure_date = shared.departure_date and o.begins_at is not null)
    union all
    select b.entry, b.position, 1, 'start_time', case
             when b.start_time is not null
               then format('names a time, but the departure of %s on %s has none: tourctl departure set-time %s %s %s gives it one',
                 b.slug, b.departure_date, b.slug, b.departure_date, b.start_time)
             when s.is_scheduled then format('is required: %s has a departure on %s at %s', b.slug, b.departure_date, b.times)
             else format('is required: %s has several departures on %s, at %s', b.slug, b.departure_date, b.times) end, null
    from beside b join staged_departures s on s.position = b.position
    where case when b.start_time is not null then b.is_beside_untimed
               when s.is_scheduled then b.tour_time is null
               else ${isOnlyRow('b')} end
    union all
    select entry, position, 1, case when start_time is null then 'departure_date' else 'start_time' end,
           format('names %s, which clocks in %s skip', ${departureName('departure_date', 'begins_at')}, time_zone), null
    from departure where begins_at is not null and ${isSkipped('departure_date', 'begins_at', 'time_zone')}
    union all
    select distinct on (entry) entry, null::integer, 3, 'start_time', case when begins_at is null
             then format('is removed, so a departure on %s has no time, but the tour has several on that date', departure_date)
             else format('changes, so two departures begin at %s', ${departureName('departure_date', 'begins_at')}) end, null::integer
    from (select * from moved where of_time > 1 or (begins_at is null and of_date > 1) order by entry, departure_date) as equal
    union all
    -- Leaves out past departures. Leaves out dates that the file has, because the file's own rows get this issue.
    select distinct on (entry) entry, null::integer, 3, case when tour_time is distinct from stored_start_time then 'start_time' else 'time_zone' end,
           format('changes, so a departure begins at %s, which clocks in %s skip', ${departureName('departure_date', 'begins_at')}, time_zone),
           null::integer
    from (select m.* from clock, moved m
          where m.begins_at is not null and m.departure_date >= tour_today(m.time_zone, clock.at)
            and ${isSkipped('m.departure_date', 'm.begins_at', 'm.time_zone')}
            and not exists (select from staged_departures s where s.entry = m.entry and s.departure_date = m.departure_date)
          order by m.entry, m.departure_date) as skipped
    union all
    select entry, position, 2, field,
           case when scale(amount) > digits
                then format('must have at most %s decimals: that is what %s has; a point separates decimals, not thousands', digits, currency)
                else 'is more than a price may be' end, null
    from amount
    where scale(amount) > digits or amount * power(10, digits)::numeric > ${MINOR_UNITS_MAX}
    union all
    select d.entry, d.position, 2, 'prices.' || given.code,
           format('is no category of the tour; known are %s', array_to_string(d.codes, ', ')), null
    from departure d cross join lateral jsonb_each_text(d.prices) as given (code, amount)
    where given.amount is not null and d.codes <> '{}' and given.code <> all(d.codes)
    union all
    -- Leaves out a past departure that has no such price: no one buys it any more.
    select d.entry, d.position, 2, 'prices.' || d.codes[1],
           format('is required: %s is the first category of the tour', d.codes[1]), null
    from departure d
    where d.codes <> '{}' and d.prices is not null and (d.prices->>d.codes[1]) is null and not exists (
      select from clock, departures o
      where o.tour_id = d.tour_id and o.departure_date = d.departure_date and ${isMeant('d', 'o', 'd.tour_time')}
        and not jsonb_exists(o.prices_minor, d.codes[1])
        and departure_is_past(o.departure_date, coalesce(o.start_time, d.tour_time), d.time_zone, clock.at))
    union all
    select entry, null, 3, 'tour_slug', format('names no tour: there is none with the slug %s', slug), null
    from tour where has_departures_alone and id is null
    union all
    select c.entry, null, 4,
           case when s.columns #> array['translations', c.language] is null then 'language' else 'translations.' || c.language end,
           case when s.columns #> array['translations', c.language] is null
                then format('is a language of the translations: clear translations.%s with null', c.language)
                else 'must not be the language of the tour itself' end, null
    from changed_tours c join staged_tours s on s.entry = c.entry where jsonb_exists(c.translations, c.language)
    union all
    select c.entry, null, 4, 'translations', '${TOO_MANY_LANGUAGES}, with the stored ones', null
    from changed_tours c where (select count(*) from jsonb_object_keys(c.translations)) > ${LANGUAGES_MAX}
    union all
    select entry, null, 4, 'currency',
           format('must stay %s: the tour has active holds, or confirmed or unpaid bookings, in this currency', stored_currency), null
    from repriced where is_in_use
    union all
    -- Reports nothing if a row of the file has no valid date, because this row may be the missing departure.
    select r.entry, null, 4, 'currency',
           'changes, so the file must price every departure of the tour; missing: '
             || string_agg(${departureName('d.departure_date', 'coalesce(d.start_time, r.start_time)')}, ', '
                  order by d.departure_date, coalesce(d.start_time, r.start_time)), null
    from repriced r join departures d on d.tour_id = r.id
    where not r.is_in_use and not exists (
      select from departure s
      where s.entry = r.entry and (s.departure_date is null
        or (not s.is_scheduled and s.departure_date = d.departure_date and ${isMeant('s', 'd', 'r.start_time')})))
    group by r.entry
    union all
    select t.entry, null, 4, 'categories',
           format('must keep %s: live holds, or standing bookings of departures to come, use it', code), null
    from tour t cross join unnest(t.removed) as code
    where ${isUsed('t', 'code')}
    union all
    select t.entry, null, 4, format('questions[%s].categories', place - 1),
           format('names %s, which is no category of the tour; known are %s', code, array_to_string(t.codes, ', ')), null
    from tour t cross join jsonb_array_elements(t.questions) with ordinality as listed (question, place)
    cross join jsonb_array_elements_text(question->'categories') as code
    where t.codes <> '{}' and code <> all(t.codes)
    union all
    select t.entry, null, 4, format('questions[%s].code', place - 1),
           'must not be ${PICKUP_CODE}: the list of missing answers names the pickup of the tour so', null
    from tour t cross join jsonb_array_elements(t.questions) with ordinality as listed (question, place)
    where t.has_pickup and question->>'code' = '${PICKUP_CODE}'
    union all
    select t.entry, null, 4, format('pickup.points[%s].point', place - 1),
           format('names no pickup point: the file may have it, or tourctl pickup add %s makes it', listed.value->>'point'), null
    from tour t cross join jsonb_array_elements(t.pickup_points) with ordinality as listed (value, place)
    where not exists (select from pickup_points p where p.code = listed.value->>'point')
      and not exists (select from staged_pickup_points f where f.code = listed.value->>'point')
    union all
    -- Names the departures to come that the file leaves without a price of the first category.
    select t.entry, null, 4, 'categories',
           format('begin with %s, so the file must price it on every departure to come; missing: ', t.codes[1])
             || string_agg(${departureName('d.departure_date', 'coalesce(d.start_time, t.start_time)')}, ', '
                  order by d.departure_date, coalesce(d.start_time, t.start_time)), null
    from clock, tour t join departures d on d.tour_id = t.id
    where t.has_new_categories and t.codes <> '{}' and not jsonb_exists(d.prices_minor, t.codes[1])
      and not departure_is_past(d.departure_date, coalesce(d.start_time, t.start_time), t.time_zone, clock.at)
      and not exists (
        select from departure s
        where s.entry = t.entry and (s.departure_date is null
          or (not s.is_scheduled and s.departure_date = d.departure_date and ${isMeant('s', 'd', 't.start_time')})))
      and not exists (select from changed_departures c where c.id = d.id and c.action = 'delete')
    group by t.entry, t.codes
    union all
    select c.entry, c.position, 5, 'seats_total',
           format('must be at least %s: this many seats of %s on %s are held or booked', seats_taken(d.id, clock.at), t.slug,
             ${departureName('d.departure_date', 'coalesce(d.start_time, t.start_time)')}), null
    from clock, changed_departures c join departures d on d.id = c.id join tour t on t.entry = c.entry
    where c.action = 'update' and c.seats_total < d.seats_total and c.seats_total < seats_taken(d.id, clock.at)
    union all
    select s.entry, null, 5, format('uses[%s].resource', place - 1), format('names no resource: there is none with the code %s', used->>'resource'), null
    from staged_tours s cross join jsonb_array_elements(nullif(s.columns->'uses', 'null')) with ordinality as given (used, place)
    where ${isUnknownResource}
    union all
    select s.entry, s.position, 5, format('uses[%s].resource', place - 1), format('names no resource: there is none with the code %s', used->>'resource'), null
    from staged_departures s cross join jsonb_array_elements(s.uses) with ordinality as given (used, place)
    where ${isUnknownResource}
  )
  -- For a departure in a tour's own list, reports the position of the tour in the file, because the departure has no file and line of its
  -- own.
  select case when d.file is null then ${placeJson('t')} else ${placeJson('d')} end as place,
         case when d.index is null then i.field
              when d.is_scheduled then format('schedules[%s].%s', d.index,
                case i.field when 'start_time' then 'start_times' when 'departure_date' then 'every' else i.field end)
              else format('departures[%s].%s', d.index, i.field) end as field, i.message,
         case when f.entry is null then null when f.file is null then ${placeJson('t')} else ${placeJson('f')} end as first,
         'departures[' || f.index || ']' as first_field
  from issue i
  join tour t on t.entry = i.entry
  left join staged_departures d on d.position = i.position
  left join staged_departures f on f.position = i.first_position
  order by i.entry, i.rank, i.position`;

/** Returns an issue for each changed departure whose sold trip no longer fits; for the first changed tour if it meets trips of others alone. */
export async function findBusyIssues(stage: Stage, busy: ResourceBusyError): Promise<Issue[]> {
  const rows = await queryStage<{ place: Place; field: string }>(
    stage,
    `select case when d.file is null then ${placeJson('s')} else ${placeJson('d')} end as place,
       case when d.file is null and d.index is not null then format('departures[%s].uses', d.index) else 'uses' end as field
     from json_to_recordset(?::json) as trip (tour text, "departureDate" date, "departureTime" text)
     join staged_tours s on s.slug = trip.tour
     left join lateral (
       select d.* from staged_departures d
       where d.entry = s.entry and d.departure_date = trip."departureDate" and d.uses is not null and not d.is_scheduled
         and coalesce(d.start_time, trip."departureTime") is not distinct from trip."departureTime" limit 1) d on true
     order by s.entry, d.position`,
    [JSON.stringify(busy.trips)],
  );
  const [first] =
    rows.length > 0
      ? []
      : await queryStage<{ place: Place }>(
          stage,
          `select place from (
       select 0 as kind, s.entry, ${placeJson('s')} as place from staged_resources s
       union all
       select 1, s.entry, ${placeJson('s')} from staged_tours s where s.entry >= 0
     ) changed order by kind, entry limit 1`,
        );
  const places = first ? [{ ...first, field: '' }] : rows;
  const unique = new Map(places.map((one) => [JSON.stringify(one), one]));
  return [...unique.values()].map(({ place, field }) => ({
    ...place,
    field,
    message: `${busy.code}: ${busy.message}`,
  }));
}
