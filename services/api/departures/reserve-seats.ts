import { type Db, refuseWhenLocked, type Trx } from '../../platform/database/database';
import { type Departure, departureStatus, seatsAvailable, type WantedSeats } from './departure';
import {
  DepartureBusyError,
  DepartureCancelledError,
  DepartureGoneError,
  InsufficientSeatsError,
  isDepartureNotAvailable,
  SaleMovedError,
} from './departure.errors';
import {
  findAlternatives,
  lockDepartureById,
  lockFreeDeparturesById,
  readClock,
  readLockTimeout,
} from './departure.repository';
import { freeExpiredSeats } from './free-expired-seats';

/** A departure whose row lock this transaction holds, and the clock reading at which its seats are counted. */
export interface LockedDeparture {
  id: string;
  /** The database's clock after the lock was granted, with microseconds. */
  at: string;
}

/**
 * Waits until this transaction holds the lock of the departure's row, and returns whether the departure still exists.
 * @param waitMs the longest wait; by default two seconds
 * @throws DepartureBusyError after the wait (409)
 */
export async function waitForDeparture(trx: Trx, id: string, waitMs?: number): Promise<boolean> {
  const locking = lockDepartureById(trx, id, waitMs);
  return refuseWhenLocked('departure', locking, () => new DepartureBusyError());
}

/**
 * Locks the departure of a stored hold or lead until `trx` ends, reads the clock, and marks the departure's expired holds and leads.
 * @throws DepartureBusyError after two seconds (409)
 */
export async function relockDeparture(trx: Trx, departureId: string): Promise<LockedDeparture> {
  await waitForDeparture(trx, departureId);
  return countFrom(trx, departureId);
}

/**
 * Locks the departure that a hold or booking leaves and the one that it moves to, until `trx` ends. Holds no lock of one departure while it
 * waits for the other, so that a locked departure does not delay sales of a free one.
 * @param departureIds null: the booking has no date, or there is no departure on the date
 * @returns the different ids, without null
 * @throws DepartureBusyError after two seconds (409)
 */
export async function lockDeparturesOfChange(trx: Trx, departureIds: (string | null)[]): Promise<string[]> {
  const ids = [...new Set(departureIds)].filter((id) => id !== null);
  if (ids.length === 1) await waitForDeparture(trx, ids[0]!);
  if (ids.length > 1) await lockTogether(trx, ids);
  return ids;
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

/**
 * Checks that a hold or booking, read after the lock, is still on the departure that this transaction locked.
 * @throws SaleMovedError (409 after three tries)
 */
export function assertNotMoved(
  lockedId: string | null,
  { departureId }: { departureId: string | null },
): void {
  if (departureId !== lockedId) throw new SaleMovedError();
}

/**
 * Checks that `quantity` seats of the departure are free. seats/decide/tenant-limits.ts checks the limits of the tenant.
 * @throws DepartureGoneError, DepartureCancelledError, InsufficientSeatsError (409)
 */
export function assertFree(departure: Departure, quantity: number): Departure {
  assertOpen(departure, quantity);
  const free = seatsAvailable(departure);
  if (free < quantity) throw new InsufficientSeatsError(wantedOf(departure, quantity), free);
  return departure;
}

/**
 * Checks that the departure can still be booked, with or without free seats.
 * @param quantity the wanted seats: the refusal names other departures with as many free seats
 * @throws DepartureGoneError, DepartureCancelledError (409)
 */
export function assertOpen(departure: Departure, quantity: number): void {
  const status = departureStatus(departure);
  const wanted = wantedOf(departure, quantity);
  if (status === 'cancelled') throw new DepartureCancelledError(wanted);
  if (status === 'gone' || status === 'closed') throw new DepartureGoneError(wanted);
}

/** Describes a request for seats of the departure. A refusal contains this description. */
export function wantedOf(departure: Departure, quantity: number): WantedSeats {
  const { id: departureId, tour, departureDate, startTime: departureTime, sandbox } = departure;
  return { tourId: tour.id, departureId, departureDate, departureTime, quantity, sandbox };
}

/** Adds up to three other departures to a DepartureNotAvailableError. Runs after the transaction, so that no lock is held. */
export async function addAlternatives(db: Db, refusal: unknown): Promise<void> {
  if (!isDepartureNotAvailable(refusal)) return;
  const others = await findAlternatives(db, refusal.wanted);
  refusal.alternatives = others.map((departure) => ({
    departureDate: departure.departureDate,
    departureTime: departure.startTime,
    seatsAvailable: seatsAvailable(departure),
  }));
}

/** Reads the clock, and marks expired holds and leads if there are any. */
async function countFrom(trx: Trx, id: string): Promise<LockedDeparture> {
  const { at, somethingExpired } = await readClock(trx, id);
  if (somethingExpired) await freeExpiredSeats(trx, [id], at);
  return { id, at };
}
