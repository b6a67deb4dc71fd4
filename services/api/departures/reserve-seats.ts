import { type Db, refuseWhenLocked, type Trx } from '../../platform/database';
import { TourNotFoundError } from '../catalog/catalog.errors';
import type { Tenant } from '../tenants/tenant';
import { type Departure, departureStatus, seatsAvailable } from './departure';
import {
  DepartureBusyError,
  DepartureCancelledError,
  DepartureGoneError,
  InsufficientSeatsError,
  isDepartureNotAvailable,
} from './departure.errors';
import {
  findAlternatives,
  findDepartureById,
  findDepartureForTenant,
  lockDepartureById,
  lockDepartureRow,
  readClock,
} from './departure.repository';
import { freeExpiredSeats } from './free-expired-seats';

/** A departure whose row lock this transaction holds, and the clock reading at which its seats are counted. */
export interface LockedDeparture {
  id: string;
  /** The database's clock after the lock was granted, with microseconds. */
  at: string;
}

/**
 * Locks the departure's row until `trx` ends: no other transaction takes or frees its seats.
 * @param date travel date, YYYY-MM-DD
 * @throws DepartureGoneError when the tour has no departure on that date; DepartureBusyError after two seconds (409)
 */
export async function lockDeparture(
  trx: Trx,
  tourId: string,
  date: string,
  quantity: number,
): Promise<LockedDeparture> {
  const locking = lockDepartureRow(trx, tourId, date);
  const id = await refuseWhenLocked('departure', locking, () => new DepartureBusyError());
  if (id === undefined) throw new DepartureGoneError({ tourId, departureDate: date, quantity });
  return countFrom(trx, id);
}

/**
 * Locks the departure of a known hold or lead, like lockDeparture.
 * @throws DepartureBusyError after two seconds (409)
 */
export async function relockDeparture(trx: Trx, departureId: string): Promise<LockedDeparture> {
  const locking = lockDepartureById(trx, departureId);
  await refuseWhenLocked('departure', locking, () => new DepartureBusyError());
  return countFrom(trx, departureId);
}

/**
 * Checks that `quantity` seats of a locked departure are free. The caller inserts the hold or the lead that takes them in the
 * same transaction. Counts rows, never a stored number, so that the count cannot drift.
 * @throws DepartureGoneError, DepartureCancelledError, InsufficientSeatsError (409)
 */
export async function reserveSeats(trx: Trx, locked: LockedDeparture, quantity: number): Promise<Departure> {
  return assertFree(await readDeparture(trx, locked), quantity);
}

/**
 * Checks the seats like reserveSeats for a new sale, and that the tenant still sees the tour. Reads the tour's currency and
 * visibility with the departure, in one statement, because they may have changed during the wait for the lock.
 * @throws TourNotFoundError (404), and the errors of reserveSeats (409)
 */
export async function reserveSeatsFor(
  trx: Trx,
  tenant: Tenant,
  locked: LockedDeparture,
  quantity: number,
): Promise<Departure> {
  const { departure, visible } = (await findDepartureForTenant(trx, tenant.id, locked.id, locked.at))!;
  if (!visible) throw new TourNotFoundError();
  return assertFree(departure, quantity);
}

function assertFree(departure: Departure, quantity: number): Departure {
  const status = departureStatus(departure);
  const wanted = { tourId: departure.tour.id, departureDate: departure.departureDate, quantity };
  if (status === 'cancelled') throw new DepartureCancelledError(wanted);
  if (status === 'gone' || status === 'closed') throw new DepartureGoneError(wanted);
  const free = seatsAvailable(departure);
  if (free < quantity) throw new InsufficientSeatsError(wanted, free);
  return departure;
}

/** Returns the locked departure with its seats counted at the clock reading after the lock. */
export async function readDeparture(trx: Trx, locked: LockedDeparture): Promise<Departure> {
  return (await findDepartureById(trx, locked.id, locked.at))!;
}

/** Adds up to three other dates to a refusal for lack of seats. Runs after the transaction, so that it holds no lock. */
export async function addAlternatives(db: Db, refusal: unknown): Promise<void> {
  if (!isDepartureNotAvailable(refusal)) return;
  const others = await findAlternatives(db, refusal.wanted);
  refusal.alternatives = others.map((departure) => ({
    departureDate: departure.departureDate,
    seatsAvailable: seatsAvailable(departure),
  }));
}

/** Reads the clock, and frees expired seats if there are any. */
async function countFrom(trx: Trx, id: string): Promise<LockedDeparture> {
  const { at, somethingExpired } = await readClock(trx, id);
  if (somethingExpired) await freeExpiredSeats(trx, id, at);
  return { id, at };
}
