import { type Db, refuseWhenLocked, type Trx } from '../../platform/database';
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
  lockDepartureById,
  lockDepartureRow,
  readClock,
} from './departure.repository';
import { freeExpiredSeats } from './free-expired-seats';
import { type AskedSeats, noteRefusal } from './note-refusal';

/** A departure whose row lock this transaction holds, and the instant at which its seats are counted. */
export interface LockedDeparture {
  id: string;
  /** The database's clock after the lock was granted, with microseconds. */
  at: string;
}

/**
 * Takes the departure's row lock and keeps it until `trx` ends: from here on nobody else takes or frees its seats.
 * @param date travel date, YYYY-MM-DD
 * @throws DepartureGoneError where the tour has no departure on that date; DepartureBusyError after two seconds (409)
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

/** The same, for a hold or lead that already names its departure. */
export async function relockDeparture(trx: Trx, departureId: string): Promise<LockedDeparture> {
  const locking = lockDepartureById(trx, departureId);
  await refuseWhenLocked('departure', locking, () => new DepartureBusyError());
  return countFrom(trx, departureId);
}

/**
 * Decides whether `quantity` seats of a locked departure may be taken. The caller inserts the hold or the lead that takes
 * them in the same transaction. Counted are rows, never a stored number, so nothing can drift.
 * @throws DepartureGoneError, DepartureCancelledError, InsufficientSeatsError (409)
 */
export async function reserveSeats(trx: Trx, locked: LockedDeparture, quantity: number): Promise<Departure> {
  const departure = await readDeparture(trx, locked);
  const status = departureStatus(departure);
  const wanted = { tourId: departure.tourId, departureDate: departure.departureDate, quantity };
  if (status === 'cancelled') throw new DepartureCancelledError(wanted);
  if (status === 'gone' || status === 'closed') throw new DepartureGoneError(wanted);
  const free = seatsAvailable(departure);
  if (free < quantity) throw new InsufficientSeatsError(wanted, free);
  return departure;
}

/** The locked departure with its seats counted at the lock's instant. */
export async function readDeparture(trx: Trx, locked: LockedDeparture): Promise<Departure> {
  return (await findDepartureById(trx, locked.id, locked.at))!;
}

/**
 * Notes the refusal for operators and throws it on, with up to three other dates where it is one of seats. Asked after the
 * transaction is over, so that a refusal holds no lock.
 */
export async function refuseWithAlternatives(db: Db, asked: AskedSeats, refusal: unknown): Promise<never> {
  noteRefusal(asked, refusal);
  if (isDepartureNotAvailable(refusal)) {
    const others = await findAlternatives(db, refusal.wanted);
    refusal.alternatives = others.map((departure) => ({
      departureDate: departure.departureDate,
      seatsAvailable: seatsAvailable(departure),
    }));
  }
  throw refusal;
}

async function countFrom(trx: Trx, id: string): Promise<LockedDeparture> {
  const { at, somethingExpired } = await readClock(trx, id);
  if (somethingExpired) await freeExpiredSeats(trx, id, at);
  return { id, at };
}
