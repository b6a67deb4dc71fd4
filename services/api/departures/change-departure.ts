import { isDeepStrictEqual } from 'node:util';
import type { Trx } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import { departureEvent, enqueueDelivery, findSubscribers } from '../../webhook-queue/enqueue-delivery';
import { toMinor } from '../pricing/currency';
import type { PricedTour, Prices } from '../pricing/price-categories';
import { InvalidAmountError } from '../pricing/pricing.errors';
import type { Departure } from './departure';
import { changeDeparture, findDepartureById, findLocalStarts, type LocalStart } from './departure.repository';
import { countLiveHoldsOf, type DepartureChange, findConcernedTenants } from './departure-sales.repository';
import {
  DepartureNotFoundError,
  findNamedDeparture,
  type NamedDeparture,
  type TourOfDeparture,
} from './find-departures';
import { expireSeats } from './mark-expired-seats';
import { checkCategory } from '../catalog/known-categories';
import { nameDeparture } from '../catalog/start-time';

export interface ChangedDeparture {
  before: Departure;
  after: Departure;
}

interface CancelledDeparture extends ChangedDeparture {
  /** The live holds of real tenants, and their seats. */
  live: { holds: number; seats: number };
  /** Number of tenants that receive `departure.cancelled`, without sandbox tenants. Null: the departure was already cancelled. */
  tenantsInformed: number | null;
}

/**
 * Takes a departure off sale until it is reopened. Its bookings and live holds stay unchanged, but no booking can consume the
 * holds. Enqueues `departure.cancelled`, unless the departure was already cancelled.
 * @throws errors of findNamedDeparture, DepartureBusyError
 */
export async function cancelDeparture(
  trx: Trx,
  tour: TourOfDeparture,
  named: NamedDeparture,
): Promise<CancelledDeparture> {
  const before = await lockTourDeparture(trx, tour, named);
  let tenantsInformed: number | null = null;
  if (!before.cancelled) {
    await changeDeparture(trx, before, { status: 'cancelled' });
    tenantsInformed = await enqueueDepartureEvent(trx, before, null);
  }
  return {
    before,
    after: { ...before, cancelled: true },
    tenantsInformed,
    live: await countLiveHoldsOf(trx, before.id),
  };
}

/**
 * Puts a cancelled departure on sale again, with its remaining seats. Enqueues `departure.updated` if the departure was cancelled.
 * @throws errors of findNamedDeparture, DepartureBusyError
 */
export async function reopenDeparture(
  trx: Trx,
  tour: TourOfDeparture,
  named: NamedDeparture,
): Promise<ChangedDeparture> {
  const before = await lockTourDeparture(trx, tour, named);
  if (before.cancelled) {
    await changeDeparture(trx, before, { status: 'scheduled' });
    await enqueueDepartureEvent(trx, before, ['status']);
  }
  return { before, after: { ...before, cancelled: false } };
}

/**
 * Sets the number of seats of a departure. Enqueues `departure.updated` if the number changes.
 * @param seatsTotal 1 to 100000
 * @throws SeatsTakenError if more real seats than `seatsTotal` are held or booked; errors of findNamedDeparture, DepartureBusyError
 */
export async function setSeats(
  trx: Trx,
  tour: TourOfDeparture,
  named: NamedDeparture,
  seatsTotal: number,
): Promise<ChangedDeparture> {
  const before = await lockTourDeparture(trx, tour, named);
  if (seatsTotal < before.seatsTaken)
    throw new SeatsTakenError(
      tour.slug,
      nameDeparture(before.departureDate, before.startTime),
      before.seatsTaken,
    );
  if (seatsTotal !== before.seatsTotal) {
    await changeDeparture(trx, before, { seatsTotal });
    await enqueueDepartureEvent(trx, before, ['seats_total']);
  }
  return { before, after: { ...before, seatsTotal } };
}

/**
 * Sets the start time of a departure that has none. Its bookings and holds stay. Enqueues `departure.updated` if the time was set.
 * @param startTime HH:MM
 * @throws DepartureHasTimeError if the departure has another time, StartTimeSkippedError; errors of findNamedDeparture, DepartureBusyError
 */
export async function setStartTime(
  trx: Trx,
  tour: TourOfDeparture,
  named: NamedDeparture,
  startTime: string,
): Promise<ChangedDeparture> {
  const before = await lockTourDeparture(trx, tour, named);
  if (before.startTime !== null && before.startTime !== startTime)
    throw new DepartureHasTimeError(tour.slug, nameDeparture(before.departureDate, before.startTime));
  if (before.startTime !== null) return { before, after: before };
  const starts = await findLocalStarts(trx, tour.id, [{ date: before.departureDate, startTime }]);
  assertNotSkipped(starts);
  await changeDeparture(trx, before, { startTime });
  await enqueueDepartureEvent(trx, before, ['start_time']);
  return { before, after: { ...before, startTime, past: starts[0]!.past } };
}

/**
 * Checks that clocks at the tour show these start times on these dates: a change to daylight saving time skips some.
 * @throws StartTimeSkippedError for the first start time that is skipped
 */
export function assertNotSkipped(
  starts: Pick<LocalStart, 'date' | 'startTime' | 'timeZone' | 'skipped'>[],
): void {
  const missing = starts.find(({ skipped }) => skipped);
  if (missing) throw new StartTimeSkippedError(missing.date, missing.startTime!, missing.timeZone);
}

/** The new price of each category to change, by its code: a decimal text in major units of the tour's currency. */
export type NewPrices = Record<string, string>;

/**
 * Sets prices of a departure. Categories that are not given keep their prices. Existing holds and bookings keep their prices too. Enqueues
 * `departure.updated` if a price changes.
 * @throws errors of toPrices, findNamedDeparture, DepartureBusyError
 */
export async function setPrices(
  trx: Trx,
  tour: TourOfDeparture,
  named: NamedDeparture,
  given: NewPrices,
): Promise<ChangedDeparture> {
  const before = await lockTourDeparture(trx, tour, named);
  const prices = { ...before.prices, ...toPrices(given, before.tour) };
  if (!isDeepStrictEqual(prices, before.prices)) {
    await changeDeparture(trx, before, { prices });
    await enqueueDepartureEvent(trx, before, ['prices']);
  }
  return { before, after: { ...before, prices } };
}

/**
 * Converts prices to minor units.
 * @throws InvalidAmountError for more decimals than the currency has, UnknownCategoryError for a category that the tour does not have
 */
export function toPrices(
  given: NewPrices,
  { currency, currencyDigits, categories }: Pick<PricedTour, 'currency' | 'currencyDigits' | 'categories'>,
): Prices {
  const prices = Object.entries(given).map(([category, amount]) => {
    checkCategory(category, categories);
    const minor = toMinor(amount, currencyDigits);
    if (minor === undefined) throw new InvalidAmountError(amount, currency, currencyDigits);
    return [category, minor];
  });
  return Object.fromEntries(prices) as Prices;
}

/**
 * Locks the departure for a change from the terminal and returns it with its real seats, which do not change until the transaction ends.
 * @throws errors of findNamedDeparture, DepartureBusyError
 */
async function lockTourDeparture(trx: Trx, tour: TourOfDeparture, named: NamedDeparture): Promise<Departure> {
  const id = await findNamedDeparture(trx, tour, named);
  const { at } = await expireSeats(trx, id);
  const departure = await findDepartureById(trx, id, false, at);
  // An import deleted the departure during the wait for the lock.
  if (!departure) throw new DepartureNotFoundError(tour.slug, named);
  return departure;
}

/** @returns the number of informed tenants, without sandbox tenants */
async function enqueueDepartureEvent(
  trx: Trx,
  { id: departureId }: Departure,
  changed: string[] | null,
): Promise<number> {
  const informed = await enqueueDepartureEvents(trx, async () => [{ departureId, changed }]);
  return informed.size;
}

export type { DepartureChange };

/** Limits the departures of one statement. */
const BATCH_LIMIT = 1_000;

/**
 * Enqueues the events of changed departures, in the transaction that changes them: one for each departure and each subscribed tenant with a
 * live hold or a standing booking there. The caller holds the departures' locks. So a concurrent sale is committed before this function
 * reads, or made after the change.
 * @param findChanges returns each changed departure once. Called only if an endpoint subscribes to these events
 * @param write makes the changes, if the caller has not made them. The events show the departures after the changes
 * @returns the ids of the tenants that are informed, without sandbox tenants, because operators read the number
 */
export async function enqueueDepartureEvents(
  trx: Trx,
  findChanges: () => Promise<DepartureChange[]>,
  write?: () => Promise<void>,
): Promise<Set<string>> {
  const informed = new Set<string>();
  const subscribers = await findSubscribers(trx, ['departure.cancelled', 'departure.updated']);
  const changes = subscribers.length > 0 ? await findChanges() : [];
  await write?.();
  for (let start = 0; start < changes.length; start += BATCH_LIMIT) {
    const batch = changes.slice(start, start + BATCH_LIMIT);
    const concerned = await findConcernedTenants(trx, batch, subscribers);
    await enqueueDelivery(trx, ...concerned.map(departureEvent));
    for (const { tenantId, sandbox } of concerned) if (!sandbox) informed.add(tenantId);
  }
  return informed;
}

// Only the terminal shows these errors. departure.errors.ts has the errors of HTTP requests.

class StartTimeSkippedError extends AppError {
  readonly code = 'start_time_skipped';

  constructor(date: string, startTime: string, timeZone: string) {
    super(`clocks in ${timeZone} do not show ${startTime} on ${date}: they are put forward over it`);
  }
}

class DepartureHasTimeError extends AppError {
  readonly code = 'departure_has_time';

  constructor(tourSlug: string, name: string) {
    super(`${tourSlug} on ${name} has a start time: cancel it and add another departure instead`);
  }
}

class SeatsTakenError extends AppError {
  readonly code = 'seats_taken';

  constructor(
    tourSlug: string,
    name: string,
    private readonly seatsTaken: number,
  ) {
    super(`${seatsTaken} seats of ${tourSlug} on ${name} are held or booked: it needs at least that many`);
  }

  override get facts(): Record<string, unknown> {
    return { seats_taken: this.seatsTaken };
  }
}
