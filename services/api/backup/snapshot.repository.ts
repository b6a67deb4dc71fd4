import type { Client } from 'pg';
import type { Readable } from 'node:stream';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Db, Trx } from '../../platform/database/database';
import type { SeatCount, TableHeader } from './backup-header';

/**
 * Makes the texts of values in COPY and in checksums the same on every server. Switches off time limits, because the transaction may be
 * idle while a disk is slow.
 */
const SETTINGS = `
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
  set local bytea_output = 'hex'; set local extra_float_digits = 1`;

/** Prepares a transaction that copies tables and compares their checksums. */
export async function setCopyForms(trx: Trx): Promise<void> {
  await trx.raw(SETTINGS);
}

/**
 * Opens one snapshot of the tables for the rest of the transaction. Locks the tables first, so that no other process can drop a table
 * before the end of the transaction.
 */
export async function openSnapshot(trx: Trx, tables: readonly string[]): Promise<void> {
  await trx.raw('set transaction isolation level repeatable read, read only');
  await setCopyForms(trx);
  await trx.raw(`set local lock_timeout = '2s'; lock table ${names(trx, tables)} in access share mode`);
}

/** Returns the columns of each table, in their order. */
export async function findColumns(db: Db, tables: readonly string[]): Promise<Map<string, string[]>> {
  const { rows } = await db.raw<{ rows: { table: string; columns: string[] }[] }>(
    `select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = current_schema()::regnamespace and c.relname = any(:tables) and c.relkind in ('r', 'p')
     group by c.relname`,
    { tables: [...tables] },
  );
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

export type TableColumns = Pick<TableHeader, 'name' | 'columns'>;

/** Returns the number of rows of a table and their checksum. */
export async function checksumTable(
  db: Db,
  { name, columns }: TableColumns,
): Promise<Pick<TableHeader, 'rows' | 'checksum'>> {
  const { rows } = await db.raw(
    `select count(*) as rows, ${checksumOf('r::text')} as checksum from (select ${names(db, columns)} from ${names(db, [name])}) r`,
  );
  return rows[0];
}

/** Counts the seats that holds and leads took at the time `at`, over all departures. Works only with the newest schema. */
export async function countTakenSeats(db: Db, at: string): Promise<SeatCount> {
  const { rows } = await db.raw(
    `with taken as (
       select departure_id, sandbox, sum(seats) as seats from (
         select departure_id, sandbox, seats from seat_holds where hold_lives(status, expires_at, :at::timestamptz)
         union all
         select departure_id, sandbox, seats from booking_leads
         where departure_id is not null and lead_stands(status, payment_due_at, :at::timestamptz)) sale
       group by departure_id, sandbox)
     select count(*)::integer as departures, coalesce(sum(t.seats), 0)::integer as seats,
       ${checksumOf('t::text')} as checksum
     from taken t`,
    { at },
  );
  return rows[0];
}

/** Returns SQL for the sum of 64 bits of each row's MD5. Uses a sum, so that the order of the rows makes no difference. */
function checksumOf(text: string): string {
  return `coalesce(sum(('x' || md5(${text}))::bit(64)::bigint::numeric), 0)::text`;
}

/** Selects the sequences of our tables, but not those of Knex, which number the migrations. */
const OUR_SEQUENCES = "schemaname = current_schema() and sequencename not like 'knex%'";

/**
 * Returns the last number of each sequence that has been used. Returns the present numbers, not those of the snapshot, because sequences do
 * not belong to a snapshot.
 */
export async function findSequences(db: Db): Promise<Record<string, number>> {
  const { rows } = await db.raw<{ rows: { name: string; last: number }[] }>(
    `select sequencename as name, last_value as last from pg_sequences
     where ${OUR_SEQUENCES} and last_value is not null order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

export async function findSequenceNames(db: Db): Promise<string[]> {
  return db('pg_sequences').whereRaw(OUR_SEQUENCES).pluck<string[]>('sequencename');
}

/**
 * Lets every sequence of our tables skip numbers, also a sequence that has given no number yet.
 * @param numbers how many numbers each sequence skips
 * @returns the new last number of each sequence
 */
export async function advanceSequences(trx: Trx, numbers: number): Promise<Record<string, number>> {
  const { rows } = await trx.raw<{ rows: { name: string; last: number }[] }>(
    `select sequencename as name,
       setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, start_value - 1) + :numbers) as last
     from pg_sequences where ${OUR_SEQUENCES} order by 1`,
    { numbers },
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

export async function setSequence(trx: Trx, name: string, last: number): Promise<void> {
  await trx.raw('select setval(quote_ident(:name)::regclass, :last)', { name, last });
}

/** Returns the first day (YYYY-MM-DD) of each month for which the webhook history has tables. */
export async function findMonths(db: Db): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { month: string }[] }>(
    `select distinct to_date(right(c.relname, 7), 'YYYY_MM') as month
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'webhook_events'::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$' order by 1`,
  );
  return rows.map(({ month }) => month);
}

export async function makeMonth(trx: Trx, month: string): Promise<void> {
  await trx.raw('select webhook_make_month(:month::date)', { month });
}

/** Streams the rows of a table in the text format of COPY. */
export async function copyOut(trx: Trx, { name, columns }: TableColumns): Promise<Readable> {
  // Copies a query, because PostgreSQL refuses COPY TO of a partitioned table.
  const sql = `copy (select ${names(trx, columns)} from ${names(trx, [name])}) to stdout`;
  return (await connectionOf(trx)).query(copyTo(sql));
}

/** Returns a stream that writes rows in the text format of COPY to a table. */
export async function copyIn(trx: Trx, { name, columns }: TableColumns): Promise<NodeJS.WritableStream> {
  const sql = `copy ${names(trx, [name])} (${names(trx, columns)}) from stdin`;
  return (await connectionOf(trx)).query(copyFrom(sql));
}

/** Returns the database connection of the transaction. Knex releases the connection at the end of the transaction. */
async function connectionOf(trx: Trx): Promise<Client> {
  return (await trx.client.acquireConnection()) as Client;
}

/** Returns a list of tables or columns as SQL: each name is quoted, with a comma in between. */
export function names(db: Db, list: readonly string[]): string {
  return db.raw(list.map(() => '??').join(), [...list]).toQuery();
}
