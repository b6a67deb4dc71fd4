import { runPrepared, type Trx } from '../../platform/database';
import { LOCK_OF_ID } from '../tenants/use-lock';
import type { DepartureKey } from './departure';
import { bindDepartures, findDepartureKeys, WANTED_DEPARTURES } from './departure.repository';

/** The locks that a transaction got without a wait. */
export interface FreeLocks {
  /** Ids of the locked departures. */
  departureIds: string[];
  /** Departures that another transaction has locked. */
  busy: DepartureKey[];
  /** Ids of API keys and tenants that are locked for use (tenants/use-lock.ts). */
  used: Set<string>;
}

/**
 * Locks the departures that are free, in id order, and then the API keys and tenants that no transaction is changing, until `trx` ends.
 * Waits for none. Read the rows in a later statement.
 */
export async function lockFree(trx: Trx, departures: DepartureKey[], useIds: string[]): Promise<FreeLocks> {
  if (departures.length + useIds.length === 0) return { departureIds: [], busy: [], used: new Set() };
  const { rows } = await runPrepared(
    trx,
    `with locked as materialized (
       select d.id, d.tour_id, d.departure_date from ${WANTED_DEPARTURES} order by d.id for update of d skip locked)
     select l.id as "departureId", l.tour_id as "tourId", l.departure_date as "departureDate", null as "usedId" from locked l
     union all
     select null, null, null, u.id from unnest(:useIds::text[]) as u (id) where pg_try_advisory_xact_lock_shared(${LOCK_OF_ID})`,
    Object.assign(bindDepartures(departures), { useIds }),
  );
  const locked = (rows as LockRow[]).filter(({ departureId }) => departureId !== null);
  const used = new Set((rows as LockRow[]).flatMap(({ usedId }) => usedId ?? []));
  return {
    departureIds: locked.map(({ departureId }) => departureId!),
    busy: await findBusy(trx, departures, locked),
    used,
  };
}

interface LockRow extends DepartureKey {
  departureId: string | null;
  usedId: string | null;
}

/** Returns the departures that exist and are not locked. */
async function findBusy(trx: Trx, wanted: DepartureKey[], locked: DepartureKey[]): Promise<DepartureKey[]> {
  const nameOf = ({ tourId, departureDate }: DepartureKey) => `${tourId} ${departureDate}`;
  const names = new Set(locked.map(nameOf));
  const missing = wanted.filter((one) => !names.has(nameOf(one)));
  return missing.length > 0 ? findDepartureKeys(trx, missing) : [];
}
