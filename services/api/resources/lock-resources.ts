import type { Db, Trx } from '../../platform/database/database';
import { waitAtMostLockTimeout } from '../../platform/database/lock-timeout';

/** Returns the ids of the resources that the departures use, in order. */
export async function findResourcesOfDepartures(db: Db, departureIds: string[]): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `select distinct u.resource_id as id from departure_uses u
     where u.departure_id = any(:departureIds::uuid[]) order by u.resource_id`,
    { departureIds },
  );
  return rows.map(({ id }) => id);
}

/**
 * Locks one resource, and returns whether it still exists. The mode lets an import insert departures that use the resource meanwhile.
 * @param waitMs the longest wait; by default lock_timeout
 */
export async function lockResourceById(trx: Trx, id: string, waitMs?: number): Promise<boolean> {
  const lock = () => trx('resources').select('id').where({ id }).forNoKeyUpdate();
  return (await waitAtMostLockTimeout(trx, lock, waitMs)).length > 0;
}

/** Locks the resources that no other transaction has locked, in the order of their ids, without a wait. @returns their ids */
export async function lockFreeResourcesById(trx: Trx, ids: string[]): Promise<string[]> {
  return trx('resources')
    .whereIn('id', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .skipLocked()
    .pluck<string[]>('id');
}
