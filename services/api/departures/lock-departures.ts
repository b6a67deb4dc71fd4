import { refuseWhenLocked, type Trx } from '../../platform/database/database';
import { DepartureBusyError } from './departure.errors';
import { lockDepartureById, lockFreeDeparturesById, readLockTimeout } from './departure.repository';

/**
 * Locks the departures until `trx` ends. Waits for a departure that another transaction has locked, and holds no lock of another departure
 * meanwhile, so that a locked departure does not delay sales of a free one. (lockChanges in seats/lock.ts waits for no lock.)
 * @throws DepartureBusyError after two seconds (409)
 */
export async function lockDepartures(trx: Trx, departureIds: string[]): Promise<void> {
  const ids = [...new Set(departureIds)];
  if (ids.length === 1) await waitForDeparture(trx, ids[0]!);
  if (ids.length > 1) await lockTogether(trx, ids);
}

/** Waits until this transaction holds the lock of the departure's row, and returns whether the departure still exists. */
async function waitForDeparture(trx: Trx, id: string, waitMs?: number): Promise<boolean> {
  const locking = lockDepartureById(trx, id, waitMs);
  return refuseWhenLocked('departure', locking, () => new DepartureBusyError());
}

/**
 * Locks the departures together. If another transaction has locked a departure, releases the other departures and waits for this one. Then
 * tries to lock the other departures without a wait, and begins again if another transaction has locked one. Gives up after lock_timeout.
 */
async function lockTogether(trx: Trx, ids: string[]): Promise<void> {
  await trx.raw('savepoint departures');
  let existing = ids;
  let missing = await lockOrNameMissing(trx, existing);
  const lockBy = performance.now() + (missing ? (await readLockTimeout(trx)) || Infinity : 0);
  while (missing) {
    await trx.raw('rollback to savepoint departures');
    const waitMs = Math.ceil(lockBy - performance.now());
    if (waitMs <= 0) throw new DepartureBusyError();
    const exists = await waitForDeparture(trx, missing, Number.isFinite(waitMs) ? waitMs : undefined);
    if (!exists) existing = existing.filter((id) => id !== missing);
    missing = await lockOrNameMissing(trx, existing);
  }
  await trx.raw('release savepoint departures');
}

/**
 * Locks the departures that no other transaction has locked. Returns the id of a departure that is locked elsewhere or does not exist.
 * Undefined: this transaction has locked all of them.
 */
async function lockOrNameMissing(trx: Trx, ids: string[]): Promise<string | undefined> {
  const locked = await lockFreeDeparturesById(trx, ids);
  return ids.find((id) => !locked.includes(id));
}
