import { type Db, runPrepared, type Trx } from '../../platform/database';
import { TRY_LOCK_FOR_USE } from '../tenants/use-lock';
import type { DepartureKey } from './departure';

/** Locks the row of one departure until the transaction ends. */
export async function lockDepartureRow(trx: Trx, tourId: string, date: string): Promise<string | undefined> {
  const row = await waitAtMostLockTimeout(trx, () =>
    trx('departures')
      .select('id')
      .where({ tour_id: tourId, departure_date: date })
      .forUpdate()
      .first<{ id: string } | undefined>(),
  );
  return row?.id;
}

/**
 * Locks one departure, and returns whether it still exists.
 * @param waitMs by default lock_timeout
 */
export async function lockDepartureById(trx: Trx, id: string, waitMs?: number): Promise<boolean> {
  const lock = () => trx('departures').select('id').where({ id }).forUpdate();
  return (await waitAtMostLockTimeout(trx, lock, waitMs)).length > 0;
}

/** Locks those of the departures that no other transaction has locked, and waits for none. Returns their ids. */
export async function lockFreeDeparturesById(trx: Trx, ids: string[]): Promise<string[]> {
  return trx('departures').whereIn('id', ids).orderBy('id').forUpdate().skipLocked().pluck<string[]>('id');
}

/** Returns lock_timeout in milliseconds; 0: no limit. */
export async function readLockTimeout(trx: Trx): Promise<number> {
  const { rows } = await trx.raw(
    "select setting::int as timeout from pg_settings where name = 'lock_timeout'",
  );
  return rows[0].timeout;
}

/**
 * Limits the whole wait for a row to lock_timeout. PostgreSQL waits for two locks per row and applies lock_timeout to each, so
 * a waiter behind others gave up after 4 s (seen).
 */
async function waitAtMostLockTimeout<T>(trx: Trx, lock: () => PromiseLike<T>, waitMs?: number): Promise<T> {
  const { rows } = await trx.raw(
    `with setting as materialized (select current_setting('statement_timeout') as statement_timeout)
     select statement_timeout, set_config('statement_timeout', coalesce(?, current_setting('lock_timeout')), true) from setting`,
    [waitMs === undefined ? null : String(waitMs)],
  );
  const locked = await lock();
  await trx.raw("select set_config('statement_timeout', ?, true)", [rows[0].statementTimeout]);
  return locked;
}

/**
 * Locks the departures that no other transaction has locked, in id order, and then the ids of API keys and tenants that no transaction is
 * changing (tenants/use-lock.ts). Waits for none. One statement, because each is a round trip of every transaction of sales.
 */
export async function tryLockRows(
  trx: Trx,
  wanted: DepartureKey[],
  useIds: string[],
): Promise<{ departures: (DepartureKey & { id: string })[]; usedIds: string[] }> {
  const { rows } = await runPrepared(
    trx,
    `with locked as materialized (
       select d.id, d.tour_id, d.departure_date from ${WANTED_DEPARTURES} order by d.id for update of d skip locked)
     select id, tour_id as "tourId", departure_date as "departureDate", null as "usedId" from locked
     union all
     select null, null, null, used.id from (${TRY_LOCK_FOR_USE}) used`,
    Object.assign(bindDepartures(wanted), { useIds }),
  );
  const isDeparture = ({ usedId }: { usedId: string | null }) => usedId === null;
  return { departures: rows.filter(isDeparture), usedIds: rows.flatMap(({ usedId }) => usedId ?? []) };
}

/** Returns which of the departures exist. */
export async function findDepartureKeys(db: Db, wanted: DepartureKey[]): Promise<DepartureKey[]> {
  const { rows } = await db.raw(
    `select d.tour_id as "tourId", d.departure_date as "departureDate" from ${WANTED_DEPARTURES}`,
    bindDepartures(wanted),
  );
  return rows;
}

/** The departures `d` of bindDepartures. */
const WANTED_DEPARTURES = `unnest(:tourIds::uuid[], :departureDates::date[]) as w (tour_id, departure_date)
  join departures d on d.tour_id = w.tour_id and d.departure_date = w.departure_date`;

function bindDepartures(wanted: DepartureKey[]) {
  return {
    tourIds: wanted.map(({ tourId }) => tourId),
    departureDates: wanted.map(({ departureDate }) => departureDate),
  };
}
