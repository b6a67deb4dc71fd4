import { CLOCK, type Trx } from '../../platform/database';
import { DEPARTURE_COLUMNS, TOUR_COLUMNS } from './stored-columns';

/** What reads and writes here are the tables of stage.repository.ts, on the transaction's own connection. */

/** Any number: it only has to be the same for every import. */
const IMPORT_LOCK = 5_118_403_267;
/** Pages of the stage a statement: some 20,000 departures, or 3,000 tours; half a second. */
const PAGES = 400;

/** One import at a time, to the end of the transaction. False: another one is writing. */
export async function claimImport(trx: Trx): Promise<boolean> {
  const { rows } = await trx.raw('select pg_try_advisory_xact_lock(?) as claimed', [IMPORT_LOCK]);
  return rows[0].claimed;
}

/** Statements over two million rows take longer than those of a request may. */
export async function allowLongStatements(trx: Trx): Promise<void> {
  await trx.raw("set local statement_timeout = '10min'");
}

/** Columns of a tour that decide what a sale of its departures costs, or whether it may be made. */
const SOLD_BY = ['currency', 'currency_digits', 'continent', 'time_zone', 'status'];
const soldBy = (row: string) => SOLD_BY.map((column) => `${row}.${column}`).join(', ');

/**
 * Locks departures before tours, each in the order of their ids: as a booking or a cancelled departure meets them, which lock the
 * departure and then touch its tour. The other way round, they and an import could wait for each other. Where a tour changes in
 * what its sales depend on, all of its departures are locked, changed or not: a sale is made before the import or after it.
 */
export async function lockStaged(trx: Trx): Promise<void> {
  await trx.raw(`select count(*) from (
    select from departures d join (
      select id from changed_departures where action <> 'insert'
      union
      select d.id from changed_tours s join tours t on t.id = s.tour_id join departures d on d.tour_id = t.id
      where (s.action = 'update' and (${soldBy('t')}) is distinct from (${soldBy('s')}))
        or (s.action = 'archive' and t.status <> 'archived')
    ) as concerned on concerned.id = d.id
    order by d.id for update of d) as locked`);
  await trx.raw(`select count(*) from (
    select from tours t join changed_tours s on s.tour_id = t.id
    where s.action <> 'insert' order by t.id for no key update of t) as locked`);
}

/** Which of the departures that change have holds or unpaid leads whose time is over, though nobody wrote that down yet. */
export async function findStagedWithExpired(trx: Trx): Promise<string[]> {
  const { rows } = await trx.raw(
    `${CLOCK} select s.id from clock, changed_departures s
     where s.action <> 'insert'
       and (exists (select from seat_holds h
                    where h.departure_id = s.id and hold_lapsed(h.status, h.expires_at, clock.at))
         or exists (select from booking_leads l
                    where l.departure_id = s.id and lead_lapsed(l.status, l.payment_due_at, clock.at)))
     order by s.id`,
  );
  return rows.map((row: { id: string }) => row.id);
}

/** New tours whose slug somebody else has taken since they were compared. */
export async function findTakenSlugs(trx: Trx): Promise<string[]> {
  const { rows } = await trx.raw(
    "select s.slug from changed_tours s join tours t on t.slug = s.slug where s.action = 'insert' order by s.slug",
  );
  return rows.map((row: { slug: string }) => row.slug);
}

/** Tours that must be compared again, under the lock: a row is another than it was, or holds and bookings had a say. */
export async function findOvertaken(trx: Trx): Promise<string[]> {
  const { rows } = await trx.raw(
    `select s.tour_id from changed_tours s left join tours t on t.id = s.tour_id
     where s.action in ('update', 'touch') and (s.recheck or t.xmin is distinct from s.version)
     union
     select s.tour_id from changed_departures s left join departures d on d.id = s.id
     where s.action <> 'insert' and d.xmin is distinct from s.version
     union
     select s.tour_id from changed_departures s
       join departures d on d.tour_id = s.tour_id and d.departure_date = s.departure_date
     where s.action = 'insert'`,
  );
  return rows.map((row: { tourId: string }) => row.tourId);
}

export async function unstage(trx: Trx, tourIds: string[]): Promise<void> {
  await trx.raw('delete from changed_tours where tour_id = any(?)', [tourIds]);
  await trx.raw('delete from changed_departures where tour_id = any(?)', [tourIds]);
  // What others have written since may stay, so what the file says is not all that the tour will be.
  await trx.raw('delete from staged_imports where tour_id = any(?)', [tourIds]);
}

export interface StagedCounts {
  tours: Partial<Record<'insert' | 'update' | 'touch' | 'archive', number>>;
  departures: Partial<Record<'insert' | 'update' | 'delete' | 'cancel', number>>;
}

export async function countStaged(trx: Trx): Promise<StagedCounts> {
  const counted = async (table: string) => {
    const { rows } = await trx.raw(`select action, count(*) from ${table} group by action`);
    return Object.fromEntries(rows.map((row: { action: string; count: number }) => [row.action, row.count]));
  };
  return { tours: await counted('changed_tours'), departures: await counted('changed_departures') };
}

const REVISED = 'updated_at = clock_timestamp(), revision = t.revision + 1';
const given = (columns: string[]) => columns.map((column) => `${column} = s.${column}`).join(', ');
const [ofTours, ofDepartures] = [TOUR_COLUMNS.join(', '), DEPARTURE_COLUMNS.join(', ')];

interface Statement {
  from: 'changed_tours' | 'changed_departures';
  actions: string[];
  sql: string;
}

/** In this order: a departure needs its tour. */
const STATEMENTS: Statement[] = [
  {
    ...{ from: 'changed_tours', actions: ['insert'] },
    sql: `insert into tours (id, ${ofTours}) select tour_id, ${ofTours} from changed_tours s where true`,
  },
  {
    ...{ from: 'changed_tours', actions: ['update'] },
    sql: `update tours t set ${given(TOUR_COLUMNS)}, ${REVISED} from changed_tours s where t.id = s.tour_id`,
  },
  {
    ...{ from: 'changed_departures', actions: ['insert'] },
    sql: `insert into departures (id, tour_id, ${ofDepartures})
          select id, tour_id, ${ofDepartures} from changed_departures s where true`,
  },
  {
    ...{ from: 'changed_departures', actions: ['update', 'cancel'] },
    sql: `update departures d set ${given(DEPARTURE_COLUMNS)}, updated_at = clock_timestamp()
          from changed_departures s where d.id = s.id`,
  },
  {
    ...{ from: 'changed_departures', actions: ['delete'] },
    sql: 'delete from departures d using changed_departures s where d.id = s.id',
  },
  // Of a tour of which nothing but departures changed.
  {
    ...{ from: 'changed_tours', actions: ['touch'] },
    sql: `update tours t set ${REVISED} from changed_tours s where t.id = s.tour_id`,
  },
  {
    ...{ from: 'changed_tours', actions: ['archive'] },
    sql: `update tours t set status = 'archived', ${REVISED} from changed_tours s where t.id = s.tour_id`,
  },
];

/**
 * Writes what is staged, some pages a statement, so that an interrupted import is over within one of them.
 * @param counts what is staged
 * @param onRows is told how many more rows were written
 */
export async function applyStage(
  trx: Trx,
  counts: StagedCounts,
  onRows: (count: number) => void,
): Promise<void> {
  for (const { from, actions, sql } of STATEMENTS) {
    const staged: Record<string, number> = from === 'changed_tours' ? counts.tours : counts.departures;
    if (!actions.some((action) => staged[action])) continue;
    const { rows } = await trx.raw('select pg_relation_size(?::regclass) / 8192 as pages', [from]);
    for (let page = 0; page < rows[0].pages; page += PAGES) {
      // Physical addresses: a range of them is read without an index, which two million rows would have to be given first.
      const { rowCount } = await trx.raw(
        `${sql} and s.action = any(?) and s.ctid >= ?::tid and s.ctid < ?::tid`,
        [actions, `(${page},0)`, `(${page + PAGES},0)`],
      );
      onRows(rowCount);
    }
  }
}
