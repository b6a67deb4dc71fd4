import { refuseWhenLocked, type Trx } from '../../platform/database/database';
import { readLockTimeout } from '../../platform/database/lock-timeout';
import {
  findResourcesOfDepartures,
  lockFreeResourcesById,
  lockResourceById,
} from '../resources/lock-resources';
import { DepartureBusyError } from './departure.errors';
import { lockDepartureById, lockFreeDeparturesById } from './departure.repository';

/**
 * Locks the departures and, for a change that takes seats, their resources, until `trx` ends. Waits for a departure or a resource that another
 * transaction has locked, and holds no other lock of these meanwhile, so that a locked row does not delay sales of a free one. (lockChanges in
 * seats/lock.ts waits for no lock.)
 * @param withResources true: locks the resources that the departures use
 * @param newResourceIds further resources to lock
 * @returns the ids of the locked resources
 * @throws DepartureBusyError after two seconds (409)
 */
export async function lockDepartures(
  trx: Trx,
  departureIds: string[],
  { withResources = false, newResourceIds = [] }: { withResources?: boolean; newResourceIds?: string[] } = {},
): Promise<string[]> {
  const departures = [...new Set(departureIds)].map((id) => ({ kind: 'departure' as const, id }));
  const used = withResources ? await findResourcesOfDepartures(trx, departureIds) : [];
  const resourceIds = [...new Set([...used, ...newResourceIds])];
  const resources = resourceIds.map((id) => ({ kind: 'resource' as const, id }));
  const rows: LockedRow[] = [...departures, ...resources];
  if (rows.length === 1) await waitForRow(trx, rows[0]!);
  if (rows.length > 1) await lockTogether(trx, rows);
  return resourceIds;
}

/** Locks one resource until `trx` ends. @throws DepartureBusyError after two seconds (409) */
export async function lockResource(trx: Trx, id: string): Promise<void> {
  await waitForRow(trx, { kind: 'resource', id });
}

/** A row that a transaction locks. */
interface LockedRow {
  kind: 'departure' | 'resource';
  id: string;
}

const LOCKS = {
  departure: { lock: lockDepartureById, lockFree: lockFreeDeparturesById },
  resource: { lock: lockResourceById, lockFree: lockFreeResourcesById },
};

/** Waits until this transaction holds the lock of the row, and returns whether the row still exists. */
async function waitForRow(trx: Trx, { kind, id }: LockedRow, waitMs?: number): Promise<boolean> {
  const locking = LOCKS[kind].lock(trx, id, waitMs);
  return refuseWhenLocked('departure', locking, () => new DepartureBusyError());
}

/**
 * Locks the rows together. If another transaction has locked a row, releases the other rows and waits for this one. Then tries to lock the other
 * rows without a wait, and begins again if another transaction has locked one. Gives up after lock_timeout.
 */
async function lockTogether(trx: Trx, rows: LockedRow[]): Promise<void> {
  await trx.raw('savepoint departures');
  let existing = rows;
  let missing = await lockOrNameMissing(trx, existing);
  const lockBy = performance.now() + (missing ? (await readLockTimeout(trx)) || Infinity : 0);
  while (missing) {
    await trx.raw('rollback to savepoint departures');
    const waitMs = Math.ceil(lockBy - performance.now());
    if (waitMs <= 0) throw new DepartureBusyError();
    const exists = await waitForRow(trx, missing, Number.isFinite(waitMs) ? waitMs : undefined);
    if (!exists) existing = existing.filter((row) => row !== missing);
    missing = await lockOrNameMissing(trx, existing);
  }
  await trx.raw('release savepoint departures');
}

/**
 * Locks the rows that no other transaction has locked: the departures, then the resources. Returns a row that is locked elsewhere or does not
 * exist. Undefined: this transaction has locked all of them.
 */
async function lockOrNameMissing(trx: Trx, rows: LockedRow[]): Promise<LockedRow | undefined> {
  for (const kind of ['departure', 'resource'] as const) {
    const wanted = rows.filter((row) => row.kind === kind);
    const ids = wanted.map(({ id }) => id);
    const locked = ids.length > 0 ? await LOCKS[kind].lockFree(trx, ids) : [];
    const missing = wanted.find(({ id }) => !locked.includes(id));
    if (missing) return missing;
  }
  return undefined;
}
