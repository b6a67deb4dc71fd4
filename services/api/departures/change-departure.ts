import { isDeepStrictEqual } from 'node:util';
import type { Trx } from '../../platform/database';
import { toMinor } from '../pricing/currency';
import type { PricedTour, Prices } from '../pricing/prices';
import { InvalidAmountError } from '../pricing/pricing.errors';
import type { Departure } from './departure';
import {
  changeDeparture,
  countLiveHoldsOf,
  findDepartureId,
  findStandingBookings,
  insertDeparture,
  lockPricedTour,
  type StandingBooking,
} from './departure-admin.repository';
import { DepartureExistsError, DepartureNotFoundError, SeatsTakenError } from './departure-admin.errors';
import { enqueueDepartureEvents } from './departure-event';
import { findDepartureById } from './departure.repository';
import { relockDeparture } from './reserve-seats';

/** The tour of a departure that a command changes. */
export interface TourOfDeparture {
  id: string;
  slug: string;
}

export interface ChangedDeparture {
  before: Departure;
  after: Departure;
}

interface CancelledDeparture extends ChangedDeparture {
  bookings: StandingBooking[];
  live: { holds: number; seats: number };
  /** Number of tenants that receive `departure.cancelled`, sandbox tenants left out; null for a departure that was cancelled before. */
  tenantsInformed: number | null;
}

/** A departure to add. The dates are YYYY-MM-DD, `closesAt` is an instant. */
export interface NewDeparture {
  date: string;
  returnDate: string | null;
  seatsTotal: number;
  closesAt: Date | null;
  prices: NewPrices & { adult: string };
}

/**
 * Adds a departure on sale to a tour of any status, as an import does: also on a past date, where nobody can book it. Locks the tour, so
 * that an import of the same tour waits, and its currency stays unchanged. Sends no event: no tenant has a hold or booking there.
 * @throws DepartureExistsError; InvalidAmountError for more decimals than the currency has
 */
export async function addDeparture(
  trx: Trx,
  tour: TourOfDeparture,
  { prices, ...given }: NewDeparture,
): Promise<Departure> {
  const { currency, currencyDigits } = await lockPricedTour(trx, tour.id);
  if ((await findDepartureId(trx, tour.id, given.date)) !== undefined)
    throw new DepartureExistsError(tour.slug, given.date);
  const minor = toPrices(prices, { currency, currencyDigits }) as Prices;
  const id = await insertDeparture(trx, tour.id, { ...given, prices: minor });
  return (await findDepartureById(trx, id, false))!;
}

/**
 * Takes a departure off sale until it is reopened. Its bookings and live holds stay unchanged, but no booking can consume the
 * holds. Enqueues `departure.cancelled`. Returns the bookings whose customers need to know, the oldest first.
 * @param date YYYY-MM-DD
 * @throws DepartureNotFoundError, DepartureBusyError
 */
export async function cancelDeparture(
  trx: Trx,
  tour: TourOfDeparture,
  date: string,
): Promise<CancelledDeparture> {
  const before = await lockTourDeparture(trx, tour, date);
  let tenantsInformed: number | null = null;
  if (!before.cancelled) {
    await changeDeparture(trx, before, { status: 'cancelled' });
    tenantsInformed = await enqueueDepartureEvent(trx, before, null);
  }
  return {
    before,
    after: { ...before, cancelled: true },
    tenantsInformed,
    bookings: await findStandingBookings(trx, before.id),
    live: await countLiveHoldsOf(trx, before.id),
  };
}

/**
 * Puts a cancelled departure on sale again, with its remaining seats. Enqueues `departure.updated`.
 * @param date YYYY-MM-DD
 * @throws DepartureNotFoundError, DepartureBusyError
 */
export async function reopenDeparture(
  trx: Trx,
  tour: TourOfDeparture,
  date: string,
): Promise<ChangedDeparture> {
  const before = await lockTourDeparture(trx, tour, date);
  if (before.cancelled) {
    await changeDeparture(trx, before, { status: 'scheduled' });
    await enqueueDepartureEvent(trx, before, ['status']);
  }
  return { before, after: { ...before, cancelled: false } };
}

/**
 * Sets the number of seats of a departure. Enqueues `departure.updated`.
 * @param date YYYY-MM-DD
 * @param seatsTotal 1 to 100000
 * @throws SeatsTakenError when more real seats are held or booked; DepartureNotFoundError, DepartureBusyError
 */
export async function setSeats(
  trx: Trx,
  tour: TourOfDeparture,
  date: string,
  seatsTotal: number,
): Promise<ChangedDeparture> {
  const before = await lockTourDeparture(trx, tour, date);
  if (seatsTotal < before.seatsTaken) throw new SeatsTakenError(tour.slug, date, before.seatsTaken);
  if (seatsTotal !== before.seatsTotal) {
    await changeDeparture(trx, before, { seatsTotal });
    await enqueueDepartureEvent(trx, before, ['seats_total']);
  }
  return { before, after: { ...before, seatsTotal } };
}

/** Decimal texts in major units of the tour's currency, of the categories to change. */
export type NewPrices = { [Category in keyof Prices]?: string };

/**
 * Sets prices of a departure. The other categories keep theirs, and so do holds and bookings. Enqueues `departure.updated`.
 * @param date YYYY-MM-DD
 * @throws InvalidAmountError for more decimals than the currency has; DepartureNotFoundError, DepartureBusyError
 */
export async function setPrices(
  trx: Trx,
  tour: TourOfDeparture,
  date: string,
  given: NewPrices,
): Promise<ChangedDeparture> {
  const before = await lockTourDeparture(trx, tour, date);
  const prices = { ...before.prices, ...toPrices(given, before.tour) };
  if (!isDeepStrictEqual(prices, before.prices)) {
    await changeDeparture(trx, before, { prices });
    await enqueueDepartureEvent(trx, before, ['prices']);
  }
  return { before, after: { ...before, prices } };
}

function toPrices(
  given: NewPrices,
  { currency, currencyDigits }: Pick<PricedTour, 'currency' | 'currencyDigits'>,
): Partial<Prices> {
  const prices = Object.entries(given).map(([category, amount]) => {
    const minor = toMinor(amount, currencyDigits);
    if (minor === undefined) throw new InvalidAmountError(amount, currency, currencyDigits);
    return [category, minor];
  });
  return Object.fromEntries(prices) as Partial<Prices>;
}

/**
 * Locks the departure for a change from the terminal and returns it with its real seats, which do not change until the transaction ends.
 * @param date YYYY-MM-DD
 * @throws DepartureNotFoundError, DepartureBusyError
 */
async function lockTourDeparture(trx: Trx, tour: TourOfDeparture, date: string): Promise<Departure> {
  const id = await findDepartureId(trx, tour.id, date);
  if (id === undefined) throw new DepartureNotFoundError(tour.slug, date);
  const { at } = await relockDeparture(trx, id);
  const departure = await findDepartureById(trx, id, false, at);
  // An import deleted the departure during the wait for the lock.
  if (!departure) throw new DepartureNotFoundError(tour.slug, date);
  return departure;
}

/** @returns the number of tenants that are informed */
async function enqueueDepartureEvent(
  trx: Trx,
  { id: departureId }: Departure,
  changed: string[] | null,
): Promise<number> {
  const informed = await enqueueDepartureEvents(trx, async () => [{ departureId, changed }]);
  return informed.size;
}
