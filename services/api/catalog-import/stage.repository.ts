import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Db, Trx } from '../../platform/database';
import { copyLine } from './copy-text';
import type { TourChange } from './import-plan';
import { DEPARTURE_TYPES, TOUR_TYPES } from './stored-columns';
import { packTour, unpackTour } from './tour-in-file';
import type { TourInFile } from './tour-in-file';

/**
 * Temporary tables of one transaction: what an import has read, and what it would write. They end with it, so that nothing is left of
 * an import that was killed, and a pooler lends the same session until then.
 */
export interface Stage {
  db: Db;
  connection: Client;
  /** Begun for the stage alone, and rolled back with it. */
  ownTransaction: boolean;
}

const CHANGED_TOUR = { tour_id: 'uuid', action: 'text', version: 'xid', recheck: 'boolean', ...TOUR_TYPES };
const CHANGED_DEPARTURE = {
  ...{ id: 'uuid', tour_id: 'uuid', action: 'text', version: 'xid' },
  ...DEPARTURE_TYPES,
};
const FILE = { tour_id: 'uuid', file: 'text' };
const TOUR_IMPORT = {
  ...{ tour_id: 'uuid', digest: 'bytea', exact: 'boolean', departures: 'integer' },
  ...{ stamp: 'bigint', edits: 'bigint[]' },
};
const TABLES = {
  changed_tours: CHANGED_TOUR,
  changed_departures: CHANGED_DEPARTURE,
  staged_imports: TOUR_IMPORT,
};

/** That a tour is, or will be, as one entry of the files has it; see tour-imports.repository.ts. */
export interface StagedTourImport {
  tour_id: string;
  /** Hexadecimal. */
  digest: string;
  /** To a pruning import too. */
  exact: boolean;
  departures: number;
  /** Of what was remembered of the tour before it was compared. */
  stamp: string | null;
  /** Edits from before it was compared, as PostgreSQL writes an array of their ids. */
  edits: string;
}

/** @param db a transaction has its stage within; of a pool one connection is taken, until `closeStage` */
export async function openStage(db: Db): Promise<Stage> {
  const connection = (await db.client.acquireConnection()) as Client;
  const stage = { db, connection, ownTransaction: db.isTransaction !== true };
  // Files are read while it is idle, however long that takes.
  if (stage.ownTransaction) await runOn(stage, 'begin; set local idle_in_transaction_session_timeout = 0');
  await runOn(
    stage,
    `drop table if exists ${STAGED};
     create temporary table changed_tours (${declared(CHANGED_TOUR)});
     create temporary table changed_departures (${declared(CHANGED_DEPARTURE)});
     create temporary table changed_files (${declared(FILE)});
     create temporary table staged_imports (${declared(TOUR_IMPORT)});
     create temporary table file_lines (
       slug text collate "C", position bigint generated always as identity, body text, primary key (slug, position))`,
  );
  return stage;
}

const STAGED = ['changed_tours', 'changed_departures', 'changed_files', 'staged_imports', 'file_lines']
  .map((table) => `pg_temp.${table}`)
  .join(', ');

export async function closeStage(stage: Stage): Promise<void> {
  // Of a lost connection nothing is left to be dropped; why it was lost is told by who met it first.
  const end = stage.ownTransaction ? 'rollback' : `drop table if exists ${STAGED}`;
  await runOn(stage, end).catch(() => undefined);
  await stage.db.client.releaseConnection(stage.connection);
}

/** Lines of files in the order they were read. */
export async function stageLines(stage: Stage, lines: { slug: string; body: string }[]): Promise<void> {
  await copyRows(stage, 'file_lines', { slug: 'text', body: 'text' }, lines);
}

/** The lines of the next slugs, together as one JSON array each. */
export async function findLines(
  stage: Stage,
  after: string,
  limit: number,
): Promise<{ slug: string; bodies: string }[]> {
  return runOn(
    stage,
    `select slug, '[' || string_agg(body, ',' order by position) || ']' as bodies
     from file_lines where slug > ? group by slug order by slug limit ?`,
    [after, limit],
  );
}

/** @returns how many rows that are */
export async function stageChanges(stage: Stage, changes: TourChange[]): Promise<number> {
  const tours = changes.map((change) => ({
    ...change.tour?.row,
    tour_id: change.tourId,
    action: change.tour ? (change.tour.isNew ? 'insert' : 'update') : 'touch',
    version: change.version,
    recheck: change.recheck,
    slug: change.file.slug,
  }));
  const departures = changes.flatMap(({ inserts, updates, deletes, cancels }) => [
    ...inserts.map((row) => ({ ...row, action: 'insert' })),
    ...updates.map((row) => ({ ...row, action: 'update' })),
    ...deletes.map((row) => ({ ...row, action: 'delete' })),
    ...cancels.map((row) => ({ ...row, action: 'cancel' })),
  ]);
  // A new tour is compared with nothing again.
  const files = changes
    .filter((change) => change.version !== undefined)
    .map((change) => ({ tour_id: change.tourId, file: packTour(change.file) }));
  await copyRows(stage, 'changed_tours', CHANGED_TOUR, tours);
  await copyRows(stage, 'changed_departures', CHANGED_DEPARTURE, departures);
  await copyRows(stage, 'changed_files', FILE, files);
  return tours.length + departures.length;
}

export async function stageTourImports(stage: Stage, imports: StagedTourImport[]): Promise<void> {
  const rows = imports.map((row) => ({ ...row, digest: `\\x${row.digest}` }));
  await copyRows(stage, 'staged_imports', TOUR_IMPORT, rows);
}

/** Tours that the files lack. */
export async function stageArchived(
  stage: Stage,
  tours: { id: string; slug: string; version: string }[],
): Promise<void> {
  const rows = tours.map(({ id, slug, version }) => ({ tour_id: id, slug, version, action: 'archive' }));
  await copyRows(stage, 'changed_tours', CHANGED_TOUR, rows);
}

/** What the files said of these tours. */
export async function findStagedFiles(stage: Stage, tourIds: string[]): Promise<TourInFile[]> {
  const rows: { file: string }[] = await runOn(
    stage,
    'select file from changed_files where tour_id = any(?) order by tour_id',
    [tourIds],
  );
  return rows.map(({ file }) => unpackTour(file));
}

/** What would be written, into tables of the transaction's own connection, straight through. */
export async function copyStage(stage: Stage, trx: Trx): Promise<Stage> {
  const copy = await openStage(trx);
  if (copy.connection === stage.connection) throw new Error('a stage is copied to another connection');
  for (const [table, types] of Object.entries(TABLES)) {
    const columns = Object.keys(types).join(', ');
    const out = stage.connection.query(copyTo(`copy pg_temp.${table} (${columns}) to stdout`));
    await pipeline(out, copy.connection.query(copyFrom(`copy pg_temp.${table} (${columns}) from stdin`)));
  }
  await runOn(
    copy,
    Object.keys(TABLES)
      .map((table) => `analyze pg_temp.${table}`)
      .join('; '),
  );
  return copy;
}

async function copyRows(
  stage: Stage,
  table: string,
  types: Record<string, string>,
  rows: object[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(types).join(', ');
  const text = rows.map((row) => copyLine(row, types)).join('');
  const into = stage.connection.query(copyFrom(`copy pg_temp.${table} (${columns}) from stdin`));
  await pipeline(Readable.from([Buffer.from(text)]), into);
}

/** On the stage's own connection. */
export async function runOn<R>(
  stage: Stage,
  sql: string,
  bindings: (string | number | boolean | string[])[] = [],
): Promise<R[]> {
  const { rows } = await stage.db.raw(sql, bindings).connection(stage.connection);
  return rows;
}

function declared(types: Record<string, string>): string {
  return Object.entries(types)
    .map(([column, type]) => `${column} ${type}`)
    .join(', ');
}
