import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Db, Trx } from '../../platform/database/database';
import type { WrittenNumber } from './written-numbers';
import { startTimeAfter } from './match-departures';

/**
 * The staging tables of an import: the content of its files, and the differences from the catalog. They are temporary tables of one
 * transaction. So a killed import leaves no table, and a connection pooler gives all statements of the import the same session.
 */
export interface Stage {
  db: Db;
  connection: Client;
  /**
   * True: the stage has opened its own transaction, and closeStage rolls this transaction back. False: the transaction belongs to the
   * caller.
   */
  ownTransaction: boolean;
}

const STAGED = {
  /** A negative `entry` marks a tour that the files lack. */
  staged_tours: `entry integer, slug text, file text, line integer, index integer, digest bytea, columns jsonb,
    base_price numeric, has_list boolean, departures integer, is_new boolean`,
  /**
   * A null `position` marks a departure that is missing from the list of its tour. `departure_id` is then its id, and `start_time` its
   * start time after the import. `prices` has amounts as texts by category: null clears one, and an empty text is one with an issue.
   * `is_scheduled` marks a departure that a schedule describes. `index` is the place in the list of departures
   * or of schedules. `file` and `line` are the place in a departures file. `emptied` has the names of the cleared fields.
   */
  staged_departures: `entry integer, position integer, index integer, file text, line integer, departure_date date,
    start_time text, seats_total integer, prices jsonb, return_date date, status text,
    closes_at timestamptz, closes_before text, uses jsonb, emptied text[], is_scheduled boolean not null default false, departure_id uuid`,
  /** The resources of the files. `columns` has the given columns of the table. */
  staged_resources: 'entry integer, file text, line integer, index integer, code text, columns jsonb',
  /** The pickup points of the files, as the resources. */
  staged_pickup_points: 'entry integer, file text, line integer, index integer, code text, columns jsonb',
  /**
   * Stores the rows of tour_imports and tour_edits as they are before the comparison. A null `tour_id`: the catalog did not have the tour.
   */
  staged_digests: `slug text, digest bytea, has_list boolean, departures integer, tour_id uuid, stamp bigint, edits bigint[]`,
};

const TABLES = [
  ...Object.keys(STAGED),
  'shared_dates',
  'changed_tours',
  'changed_departures',
  'changed_resources',
  'changed_pickup_points',
];
const DROP = `drop table if exists ${TABLES.map((table) => `pg_temp.${table}`).join()}`;
const CREATE = `
  ${Object.entries(STAGED)
    .map(([table, columns]) => `create temporary table ${table} (${columns});`)
    .join('')}
  create temporary table shared_dates (entry integer, departure_date date, primary key (entry, departure_date));
  create temporary table changed_tours as
    select 0 as entry, ''::text as action, false as is_repriced, t.* from tours t with no data;
  create temporary table changed_resources as
    select 0 as entry, ''::text as action, r.* from resources r with no data;
  create temporary table changed_pickup_points as
    select 0 as entry, ''::text as action, p.* from pickup_points p with no data;
  create temporary table changed_departures as
    select 0 as entry, 0 as position, ''::text as action, d.* from departures d with no data`;

/**
 * Creates the staging tables in the transaction `db`. If `db` is a pool, opens a transaction for the tables, which ends with `closeStage`.
 */
export async function openStage(db: Db): Promise<Stage> {
  const connection = (await db.client.acquireConnection()) as Client;
  const stage = { db, connection, ownTransaction: db.isTransaction !== true };
  // Removes the idle timeout, because the connection is idle while files are read. Statements over two million rows take minutes.
  const settings = "set local idle_in_transaction_session_timeout = 0; set local statement_timeout = '10min'";
  if (stage.ownTransaction) await queryStage(stage, `begin; ${settings}`);
  await queryStage(stage, `${DROP}; ${CREATE}`);
  return stage;
}

export async function closeStage(stage: Stage): Promise<void> {
  // Ignores a lost connection: its tables are gone, and the statement that failed has reported it.
  await queryStage(stage, stage.ownTransaction ? 'rollback' : DROP).catch(() => undefined);
  await stage.db.client.releaseConnection(stage.connection);
}

/**
 * The cells of a row, in the order of the columns of STAGED. Objects with the column names as keys took twice as long to fill and to copy.
 */
export type StagedRow = (string | number | boolean | WrittenNumber | null | undefined)[];

export async function copyRows(stage: Stage, table: keyof typeof STAGED, rows: StagedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const text = rows.map((row) => `${row.map(toCopyText).join('\t')}\n`).join('');
  const copy = stage.connection.query(copyFrom(`copy pg_temp.${table} from stdin`));
  await pipeline(Readable.from([Buffer.from(text)]), copy);
}

const ESCAPED: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function toCopyText(cell: StagedRow[number]): string {
  if (cell === null || cell === undefined) return '\\N';
  return String(cell).replace(/[\\\t\n\r]/g, (character) => ESCAPED[character]!);
}

/**
 * Copies the entries that change a tour or departure, and all digests, to the staging tables of another transaction. Does not copy the
 * entries without a change, so that the other transaction neither locks nor compares their rows.
 */
export async function copyChanges(stage: Stage, trx: Trx): Promise<Stage> {
  const copy = await openStage(trx);
  if (copy.connection === stage.connection) throw new Error('the changes are copied to another connection');
  await queryStage(
    stage,
    'analyze pg_temp.changed_tours (entry); analyze pg_temp.changed_departures (entry, departure_date)',
  );
  const rows = {
    staged_tours: `select s.entry, s.slug, s.file, s.line, s.index, s.digest, s.columns, s.base_price, s.has_list,
        s.departures, c.action = 'insert' as is_new
      from staged_tours s join changed_tours c on c.entry = s.entry`,
    // Selects the departures to copy. For a tour with a new currency: all departures, because the file must price all of them. For any
    // other tour: all rows of each date on which a departure changes. Whether a row without a time means a departure depends on the other
    // rows of the date.
    staged_departures: `select s.* from staged_departures s join changed_tours c on c.entry = s.entry
      where c.is_repriced
      union all
      select s.* from staged_departures s
      where exists (select from changed_departures d where d.entry = s.entry and d.departure_date = s.departure_date)
        and not exists (select from changed_tours c where c.entry = s.entry and c.is_repriced)`,
    staged_resources: 'select s.* from staged_resources s join changed_resources c on c.entry = s.entry',
    staged_pickup_points:
      'select s.* from staged_pickup_points s join changed_pickup_points c on c.entry = s.entry',
    staged_digests: 'select * from staged_digests',
  };
  for (const [table, query] of Object.entries(rows)) {
    const out = stage.connection.query(copyTo(`copy (${query}) to stdout`));
    await pipeline(out, copy.connection.query(copyFrom(`copy pg_temp.${table} from stdin`)));
  }
  return copy;
}

/** Deletes rows of schedules that repeat another row. `tour_time` is the start time of the tour after the import. */
const DROP_TWINS = `
  with scheduled as materialized (
    select s.entry, s.position, s.departure_date, s.start_time, ${startTimeAfter('e', 't')} as tour_time
    from staged_departures s join staged_tours e on e.entry = s.entry left join tours t on t.slug = e.slug
    where s.is_scheduled
  ),
  dropped as (
    delete from staged_departures s using scheduled c
    where s.is_scheduled and s.position = c.position and exists (
      select from staged_departures o
      where o.entry = c.entry and o.departure_date = c.departure_date and o.position is not null
        and (not o.is_scheduled or o.position < c.position)
        and coalesce(o.start_time, c.tour_time) is not distinct from coalesce(c.start_time, c.tour_time))
    returning 1
  )
  select count(*)::integer as count from dropped`;

/**
 * Removes rows of schedules that the list of the tour, or an earlier schedule, already has.
 * @returns the number of removed rows
 */
export async function dropScheduledTwins(stage: Stage): Promise<number> {
  const [row] = await queryStage<{ count: number }>(stage, DROP_TWINS);
  return row!.count;
}

/**
 * Finds the dates with several rows, and gives the planner statistics of the staged rows. Samples only the columns that joins compare: to
 * sample the wide columns too took three times as long.
 */
export async function prepareStage(stage: Stage): Promise<void> {
  await queryStage(
    stage,
    `insert into shared_dates
     select entry, departure_date from staged_departures where position is not null and departure_date is not null
     group by entry, departure_date having count(*) > 1`,
  );
  await queryStage(
    stage,
    'analyze pg_temp.shared_dates; analyze pg_temp.staged_tours (entry, slug); analyze pg_temp.staged_departures (entry, departure_date)',
  );
}

/** Returns the SQL of the place of a staged row, as JSON. */
export function placeJson(row: string): string {
  return `json_strip_nulls(json_build_object('file', ${row}.file, 'line', ${row}.line, 'index', ${row}.index))`;
}

/** Runs a statement on the connection that has the staging tables. */
export async function queryStage<R>(
  { db, connection }: Stage,
  sql: string,
  bindings: (string | number | boolean | string[])[] = [],
): Promise<R[]> {
  const { rows } = await db.raw(sql, bindings).connection(connection);
  return rows;
}
