import { CLOCK, type Trx } from '../../platform/database/database';
import type { DepartureChange } from '../departures/departure-events';
import {
  CHANGEABLE_DEPARTURE_COLUMNS,
  STORED_DEPARTURE_COLUMNS,
  STORED_TOUR_COLUMNS,
} from './catalog-schema';
import { categoriesAfter } from './changed-categories';
import { startTimeAfter } from './match-departures';
import type { ChangeCounts } from './import-report';
import { queryStage, type Stage } from './stage.repository';
import { somethingExpired } from '../catalog/departure-state';

/** The key of the advisory lock of all imports: an arbitrary number. */
const IMPORT_LOCK = 5_118_403_267;

/** Takes the lock of imports until the transaction ends. Returns false if another import is writing. */
export async function claimImport(trx: Trx): Promise<boolean> {
  const { rows } = await trx.raw('select pg_try_advisory_xact_lock(?) as claimed', [IMPORT_LOCK]);
  return rows[0].claimed;
}

/** Raises the statement timeout: a statement that writes two million rows takes longer than the timeout of requests. */
export async function allowLongStatements(trx: Trx): Promise<void> {
  await trx.raw("set local statement_timeout = '10min'");
}

/** The columns of a tour, other than its categories, start time and cut-off, that decide whether and at which price its departures are sold. */
const SOLD_BY = ['currency', 'continent', 'time_zone', 'status'];

/**
 * Locks departures, then the resources that they use or will use, pickup points, then tours, each in the order of their ids, as a booking does. In another order, a booking and an import could wait
 * for each other. If one of the columns in SOLD_BY changes in a tour, locks all departures of the tour, so that each sale is made entirely
 * before or after the import.
 */
export async function lockStaged(trx: Trx): Promise<void> {
  const isSoldOtherwise = [
    ...SOLD_BY.map((column) => `s.columns->>'${column}' <> t.${column}`),
    `${startTimeAfter('s', 't')} is distinct from t.start_time`,
    `${categoriesAfter('s', 't')} is distinct from t.categories`,
    // The uses of the departures, and their ends.
    "jsonb_exists(s.columns, 'uses') and nullif(s.columns->'uses', 'null') is distinct from t.uses",
    `(s.columns->>'duration_days')::integer <> t.duration_days
      and exists (select from departures x join departure_uses u on u.departure_id = x.id where x.tour_id = t.id)`,
    "jsonb_exists(s.columns, 'questions') and nullif(s.columns->'questions', 'null') is distinct from t.questions",
    "jsonb_exists(s.columns, 'pickup') and nullif(s.columns->'pickup', 'null') is distinct from t.pickup",
    "jsonb_exists(s.columns, 'booking_cutoff') and s.columns->>'booking_cutoff' is distinct from t.booking_cutoff",
  ].join(' or ');
  await trx.raw(`select count(*) from (
    select from departures d where d.id in (
      select d.id from staged_tours s join tours t on t.slug = s.slug join departures d on d.tour_id = t.id
      join staged_departures g on g.entry = s.entry and g.departure_date = d.departure_date
      union
      select d.id from staged_tours s join tours t on t.slug = s.slug join departures d on d.tour_id = t.id
      where ${isSoldOtherwise}
    ) order by d.id for update of d) as locked`);
  await trx.raw(`select count(*) from (
    select from resources r where r.id in (
      select u.resource_id from staged_tours s join tours t on t.slug = s.slug join departures d on d.tour_id = t.id
      join departure_uses u on u.departure_id = d.id
    ) or r.code in (
      select used->>'resource' from staged_tours s cross join jsonb_array_elements(nullif(s.columns->'uses', 'null')) as used
      union
      select used->>'resource' from staged_departures s cross join jsonb_array_elements(s.uses) as used
      union
      select code from staged_resources
    ) order by r.id for no key update of r) as locked`);
  await trx.raw(`select count(*) from (
    select from pickup_points p where p.code in (
      select code from staged_pickup_points
      union
      select listed->>'point' from staged_tours s
        cross join jsonb_array_elements(nullif(s.columns->'pickup', 'null')->'points') as listed
    ) order by p.code for no key update of p) as locked`);
  await trx.raw(`select count(*) from (
    select from tours t where t.slug in (select slug from staged_tours) or ${NAMES_STAGED_POINT}
    order by t.id for no key update of t) as locked`);
}

/**
 * Returns the ids of the staged departures with holds or unpaid leads that have expired at `at`, but are not marked as expired yet. Runs after
 * the locks of the departures: `at` is the database's clock.
 */
export async function findStagedWithExpired(trx: Trx): Promise<{ at: string; ids: string[] }> {
  const { rows } = await trx.raw<{ rows: [{ at: string; ids: string[] }] }>(
    `${CLOCK} select clock.at::text as at, array(
       select distinct d.id from staged_tours s join tours t on t.slug = s.slug
       join staged_departures g on g.entry = s.entry
       join departures d on d.tour_id = t.id and d.departure_date = g.departure_date
       where ${somethingExpired('d.id')}
       order by d.id) as ids
     from clock`,
  );
  return rows[0];
}

const OTHER_TIME = 'd.start_time is null and m.start_time is distinct from t.start_time';
const OTHER_CLOSING = `d.closes_at is null and (m.time_zone is distinct from t.time_zone
  or d.closes_before is null and m.booking_cutoff is distinct from t.booking_cutoff)`;

/** Returns the SQL of the name under which the API shows a changed column of a departure. Null: it has not changed. */
function changedName(column: string): string {
  const differs = `c.id is not null and c.${column} is distinct from d.${column}`;
  switch (column) {
    case 'closes_at':
      return `case when ${OTHER_CLOSING} or ${differs} or (c.id is not null and c.closes_before is distinct from d.closes_before)
                   then 'closes_at' end`;
    case 'closes_before':
    case 'uses':
      return 'null';
    case 'prices_minor':
      return `case when ${differs} then 'prices' end`;
    default:
      return `case when ${differs} then '${column}' end`;
  }
}

/**
 * Returns the staged changes of departures with an active hold, or with an unpaid or confirmed booking. If the start time, the cut-off or
 * the time zone of a tour changes, the departures without an own time or closing count as changed. A changed `closes_before` is named
 * `closes_at`. The currency of these departures never changes, unless all their holds and bookings belong to sandbox tenants.
 */
export async function findSoldChanges(trx: Trx): Promise<DepartureChange[]> {
  const names = CHANGEABLE_DEPARTURE_COLUMNS.map(changedName);
  const { rows } = await trx.raw<{ rows: DepartureChange[] }>(
    `select d.id as departure_id,
       case when c.id is null or c.status = d.status or c.status <> 'cancelled'
         then array_remove(array[case when ${OTHER_TIME} then 'start_time' end, ${names.join()}], null) end as changed
     from (
       select id from changed_departures where action in ('update', 'cancel', 'drop_prices')
       union
       select d.id from changed_tours m join tours t on t.id = m.id join departures d on d.tour_id = m.id
       where m.action = 'update' and (${OTHER_TIME} or ${OTHER_CLOSING})
     ) as touched
     join departures d on d.id = touched.id join tours t on t.id = d.tour_id
     left join changed_departures c on c.id = d.id and c.action in ('update', 'cancel', 'drop_prices')
     left join changed_tours m on m.id = d.tour_id
     where (exists (select from seat_holds h where h.departure_id = d.id and hold_takes_seats(h.status))
         or exists (select from booking_leads l where l.departure_id = d.id and lead_takes_seats(l.status)))`,
  );
  // Leaves out a departure of which only the resources change: a tenant does not see them.
  return rows.filter(({ changed }) => changed === null || changed.length > 0);
}

/** SQL that is evaluated once: an installation without resources has no trips to look for. */
const HAS_RESOURCES = '(exists (select from resources) or exists (select from changed_resources))';

/**
 * Returns the stored departures whose trips the staged changes may change: they, or their tours, get other uses or another time. Runs before
 * the changes are written.
 */
export async function findChangedTrips(stage: Stage): Promise<string[]> {
  const rows = await queryStage<{ id: string }>(
    stage,
    `select d.id from changed_tours m join tours t on t.id = m.id join departures d on d.tour_id = m.id
     where ${HAS_RESOURCES} and m.action = 'update' and coalesce(d.uses, t.uses, m.uses) is not null
       and (m.uses, m.start_time, m.time_zone, m.duration_days) is distinct from (t.uses, t.start_time, t.time_zone, t.duration_days)
     union
     select d.id from changed_departures c join departures d on d.id = c.id join tours t on t.id = d.tour_id
     where ${HAS_RESOURCES} and c.action in ('update', 'cancel') and coalesce(c.uses, d.uses, t.uses) is not null
       and (c.uses, c.return_date, c.status) is distinct from (d.uses, d.return_date, d.status)
     union
     select u.departure_id from changed_resources c join resources r on r.id = c.id
     join departure_uses u on u.resource_id = r.id and upper(u.during) > now()
     where (c.places, c.units, c.turnaround) is distinct from (r.places, r.units, r.turnaround)`,
  );
  return rows.map(({ id }) => id);
}

const RESOURCE_COLUMNS = ['name', 'kind', 'places', 'units', 'turnaround', 'time_zone', 'phone', 'email'];

/** Writes the staged changes of resources. The caller holds their locks. @returns the number of written rows */
export async function applyResources(trx: Trx): Promise<number> {
  const columns = RESOURCE_COLUMNS.join(', ');
  const { rowCount } = await trx.raw(
    `insert into resources (code, ${columns}) select code, ${columns} from changed_resources order by code
     on conflict (code) do update set ${RESOURCE_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')},
       updated_at = clock_timestamp()`,
  );
  return rowCount;
}

/** SQL that is true for a tour `t` that fetches guests at a point of the files. */
const NAMES_STAGED_POINT = `t.pickup is not null and exists (
  select from jsonb_array_elements(t.pickup->'points') as listed join staged_pickup_points s on s.code = listed->>'point')`;

const POINT_COLUMNS = ['name', 'address', 'lat', 'lng', 'directions', 'google_place_id', 'translations'];

/**
 * Writes the staged changes of pickup points, and raises the revisions of the stored tours that fetch guests there: their answers change. The
 * caller holds the locks of both. Bookings keep the words with which a point was sold. @returns the number of written points
 */
export async function applyPickupPoints(trx: Trx): Promise<number> {
  const columns = POINT_COLUMNS.join(', ');
  const { rowCount } = await trx.raw(
    `insert into pickup_points (code, ${columns}) select code, ${columns} from changed_pickup_points order by code
     on conflict (code) do update set ${POINT_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  );
  await trx.raw(
    `update tours t set revision = t.revision + 1, updated_at = clock_timestamp()
     where t.pickup is not null and exists (
       select from jsonb_array_elements(t.pickup->'points') as listed
         join changed_pickup_points c on c.code = listed->>'point' and c.action = 'update')`,
  );
  return rowCount;
}

/** Returns the ids of the tours of departures, by id. */
export async function findToursOf(trx: Trx, departureIds: string[]): Promise<string[]> {
  return trx('departures')
    .whereIn('id', departureIds)
    .distinct('tour_id')
    .orderBy('tour_id')
    .pluck<string[]>('tour_id');
}

/** Raises the revisions of the tours, so that no instance uses their cached availability any more. */
export async function reviseTours(trx: Trx, ids: string[]): Promise<void> {
  await trx.raw(
    `update tours t set revision = t.revision + 1
     where t.id in (select id from tours where id = any(:ids::uuid[]) order by id for no key update)`,
    { ids },
  );
}

/** Returns the slug of a tour that the catalog did not have at the first comparison, but has now. */
export async function findTakenSlug(trx: Trx): Promise<string | undefined> {
  const { rows } = await trx.raw(
    'select s.slug from staged_tours s join tours t on t.slug = s.slug where s.is_new order by s.slug limit 1',
  );
  return rows[0]?.slug;
}

const REVISED = 'updated_at = clock_timestamp(), revision = t.revision + 1';
const setColumns = (columns: string[]) => columns.map((column) => `${column} = s.${column}`).join(', ');
const [tourColumns, departureColumns] = [STORED_TOUR_COLUMNS.join(', '), STORED_DEPARTURE_COLUMNS.join(', ')];

type Write = [changed: 'tours' | 'departures', actions: string[], sql: string];

/**
 * Writes tours before departures, because departures refer to them. Deletes first, because the database never lets two departures of a tour
 * begin at the same time.
 */
const WRITES: Write[] = [
  ['departures', ['delete'], 'delete from departures d using changed_departures s where d.id = s.id'],
  [
    'tours',
    ['insert'],
    `insert into tours (id, ${tourColumns}) select id, ${tourColumns} from changed_tours s where true`,
  ],
  [
    'tours',
    ['update', 'archive'],
    `update tours t set ${setColumns(STORED_TOUR_COLUMNS)}, ${REVISED} from changed_tours s where t.id = s.id`,
  ],
  [
    'departures',
    ['insert'],
    `insert into departures (tour_id, ${departureColumns})
     select tour_id, ${departureColumns} from changed_departures s where true`,
  ],
  [
    'departures',
    ['update', 'cancel', 'drop_prices'],
    `update departures d set ${setColumns(CHANGEABLE_DEPARTURE_COLUMNS)} from changed_departures s where d.id = s.id`,
  ],
  ['tours', ['touch'], `update tours t set ${REVISED} from changed_tours s where t.id = s.id`],
];

/** Number of pages of a staging table that one statement writes: some 20,000 departures or 3,000 tours, in half a second. */
const PAGES = 400;

/**
 * Writes the staged changes in statements of some pages each, so that an interrupted import ends after the current statement.
 * @param onRows receives the number of rows written since its last call
 */
export async function applyChanges(
  trx: Trx,
  counts: ChangeCounts,
  onRows: (count: number) => void,
): Promise<void> {
  for (const [changed, actions, sql] of WRITES) {
    const found: Record<string, number> = counts[changed];
    if (!actions.some((action) => found[action])) continue;
    const table = `changed_${changed}`;
    const { rows } = await trx.raw('select pg_relation_size(?::regclass) / 8192 as pages', [table]);
    for (let page = 0; page < rows[0].pages; page += PAGES) {
      // Selects the rows by their physical address, which needs no index. Creating an index for two million rows takes time.
      const { rowCount } = await trx.raw(
        `${sql} and s.action = any(?) and s.ctid >= ?::tid and s.ctid < ?::tid`,
        [actions, `(${page},0)`, `(${page + PAGES},0)`],
      );
      onRows(rowCount);
    }
  }
}
