import type { Trx } from '../../../platform/database';
import type { DepartureRow, OfTour, Stored, TourRow } from './stored-rows';

/** Any number: it only has to be the same for every import. */
const IMPORT_LOCK = 5_118_403_267;

/** Column and type of what is written, for jsonb_to_recordset: one statement writes many rows, whatever their number. */
const TOUR_TYPES: Record<keyof TourRow, string> = {
  slug: 'text',
  name: 'text',
  name_folded: 'text',
  continent: 'text',
  country: 'text',
  duration_days: 'integer',
  currency: 'text',
  currency_digits: 'smallint',
  base_price_minor: 'bigint',
  summary: 'text',
  description: 'text',
  image_url: 'text',
  images: 'jsonb',
  tags: 'text[]',
  time_zone: 'text',
  status: 'text',
  group_size_max: 'integer',
  languages: 'text[]',
  start_location: 'jsonb',
  end_location: 'jsonb',
  itinerary: 'jsonb',
  inclusions: 'text[]',
  exclusions: 'text[]',
  cancellation_policy: 'text',
};
const DEPARTURE_TYPES: Record<keyof DepartureRow, string> = {
  departure_date: 'date',
  return_date: 'date',
  seats_total: 'integer',
  prices_minor: 'jsonb',
  status: 'text',
  closes_at: 'timestamptz',
};
const ROWS_A_STATEMENT = 500;

/** One import at a time, to the end of the transaction. False: another one is writing. */
export async function claimImport(trx: Trx): Promise<boolean> {
  const { rows } = await trx.raw('select pg_try_advisory_xact_lock(?) as claimed', [IMPORT_LOCK]);
  return rows[0].claimed;
}

/**
 * Departures before tours, each in the order of their ids: as a booking or a cancelled departure meets them, which lock the
 * departure and then touch its tour. The other way round, they and an import could wait for each other.
 */
export async function lockForImport(trx: Trx, tourIds: string[], departureIds: string[]): Promise<void> {
  await trx('departures').select('id').whereRaw('id = any(?)', [departureIds]).orderBy('id').forUpdate();
  await trx('tours').select('id').whereRaw('id = any(?)', [tourIds]).orderBy('id').forNoKeyUpdate();
}

export async function insertTours(trx: Trx, tours: Stored<TourRow>[]): Promise<void> {
  await insertRows(trx, 'tours', { id: 'uuid', ...TOUR_TYPES }, tours);
}

export async function updateTours(trx: Trx, tours: Stored<TourRow>[]): Promise<void> {
  await updateRows(trx, 'tours', TOUR_TYPES, tours, ['revision = stored.revision + 1']);
}

export async function insertDepartures(trx: Trx, departures: OfTour<Stored<DepartureRow>>[]): Promise<void> {
  await insertRows(trx, 'departures', { id: 'uuid', tour_id: 'uuid', ...DEPARTURE_TYPES }, departures);
}

export async function updateDepartures(trx: Trx, departures: Stored<DepartureRow>[]): Promise<void> {
  await updateRows(trx, 'departures', DEPARTURE_TYPES, departures);
}

export async function deleteDepartures(trx: Trx, ids: string[]): Promise<void> {
  await trx('departures').whereRaw('id = any(?)', [ids]).delete();
}

export async function archiveTours(trx: Trx, ids: string[]): Promise<void> {
  await changeTours(trx, ids, { status: 'archived' });
}

/** For tours of which nothing but departures changed. */
export async function bumpRevisions(trx: Trx, tourIds: string[]): Promise<void> {
  await changeTours(trx, tourIds, {});
}

async function changeTours(trx: Trx, ids: string[], change: Partial<TourRow>): Promise<void> {
  const revised = { revision: trx.raw('revision + 1'), updated_at: trx.raw('clock_timestamp()') };
  await trx('tours')
    .whereRaw('id = any(?)', [ids])
    .update({ ...change, ...revised });
}

async function insertRows(
  trx: Trx,
  table: string,
  types: Record<string, string>,
  rows: object[],
): Promise<void> {
  const columns = Object.keys(types).join(', ');
  for (const chunk of chunksOf(rows)) {
    await trx.raw(
      `insert into ${table} (${columns}) select ${columns} from jsonb_to_recordset(?::jsonb) as given(${declared(types)})`,
      [JSON.stringify(chunk)],
    );
  }
}

async function updateRows(
  trx: Trx,
  table: string,
  types: Record<string, string>,
  rows: object[],
  also: string[] = [],
): Promise<void> {
  const given = Object.keys(types).map((column) => `${column} = given.${column}`);
  const assigned = [...given, 'updated_at = clock_timestamp()', ...also];
  for (const chunk of chunksOf(rows)) {
    await trx.raw(
      `update ${table} as stored set ${assigned.join(', ')}
       from jsonb_to_recordset(?::jsonb) as given(id uuid, ${declared(types)}) where stored.id = given.id`,
      [JSON.stringify(chunk)],
    );
  }
}

function declared(types: Record<string, string>): string {
  return Object.entries(types)
    .map(([column, type]) => `${column} ${type}`)
    .join(', ');
}

function* chunksOf<T>(rows: T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += ROWS_A_STATEMENT)
    yield rows.slice(start, start + ROWS_A_STATEMENT);
}
