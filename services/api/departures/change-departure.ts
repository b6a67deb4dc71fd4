import { isDeepStrictEqual } from 'node:util';
import type { Trx } from '../../platform/database';
import { AppError } from '../../platform/errors';
import { departureEvent, enqueueDelivery, findSubscribers } from '../../webhook-queue/enqueue-delivery';
import { toMinor } from '../pricing/currency';
import type { PricedTour, Prices } from '../pricing/price-categories';
import { InvalidAmountError } from '../pricing/pricing.errors';
import type { Departure } from './departure';
import {
  changeDeparture,
  findDepartureById,
  findDeparturesOfDate,
  findStartTime,
  insertDeparture,
  lockPricedTour,
} from './departure.repository';
import {
  countLiveHoldsOf,
  type DepartureChange,
  findConcernedTenants,
  findStandingBookings,
  type StandingBooking,
} from './departure-sales.repository';
import {
  DepartureNotFoundError,
  findNamedDeparture,
  type NamedDeparture,
  type TourOfDeparture,
} from './find-departures';
import { relockDeparture } from './reserve-seats';
import { nameDeparture } from '../catalog/start-time';

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
  /** HH:MM. Null: that of the tour. */
  startTime: string | null;
  returnDate: string | null;
  seatsTotal: number;
  closesAt: Date | null;
  prices: NewPrices & { adult: string };
}

/**
 * Adds a departure on sale to a tour of any status, as an import does: also on a past date, where nobody can book it. Locks the tour, so
 * that an import of the same tour waits, and its currency stays unchanged. Sends no event: no tenant has a hold or booking there.
 * @throws DepartureExistsError, DepartureHasNoTimeError; InvalidAmountError for more decimals than the currency has
 */
export async function addDeparture(
  trx: Trx,
  tour: TourOfDeparture,
  { prices, ...given }: NewDeparture,
): Promise<Departure> {
  const { currency, currencyDigits } = await lockPricedTour(trx, tour.id);
  await assertDistinct(trx, tour, { date: given.date, time: given.startTime });
  const minor = toPrices(prices, { currency, currencyDigits }) as Prices;
  const id = await insertDeparture(trx, tour.id, { ...given, prices: minor });
  return (await findDepartureById(trx, id, false))!;
}

/**
 * Takes a departure off sale until it is reopened. Its bookings and live holds stay unchanged, but no booking can consume the
 * holds. Enqueues `departure.cancelled`. Returns the bookings whose customers need to know, the oldest first.
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
    bookings: await findStandingBookings(trx, before.id),
    live: await countLiveHoldsOf(trx, before.id),
  };
}

/**
 * Puts a cancelled departure on sale again, with its remaining seats. Enqueues `departure.updated`.
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
 * Sets the number of seats of a departure. Enqueues `departure.updated`.
 * @param seatsTotal 1 to 100000
 * @throws SeatsTakenError when more real seats are held or booked; errors of findNamedDeparture, DepartureBusyError
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
 * Gives a departure without a start time its time. Its bookings and holds stay. Enqueues `departure.updated`.
 * @param startTime HH:MM
 * @throws DepartureHasTimeError for one that has another time; errors of findNamedDeparture, DepartureBusyError
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
  if (before.startTime === null) {
    await changeDeparture(trx, before, { startTime });
    await enqueueDepartureEvent(trx, before, ['start_time']);
  }
  return { before, after: { ...before, startTime } };
}

/**
 * Checks that requests can tell a new departure from the others of its date. The trigger of 0115_departure_times.sql checks the same.
 * @param time HH:MM. Null: that of the tour, or none
 * @throws DepartureExistsError, DepartureHasNoTimeError
 */
async function assertDistinct(
  trx: Trx,
  tour: TourOfDeparture,
  { date, time }: { date: string; time: string | null },
): Promise<void> {
  const others = await findDeparturesOfDate(trx, tour.id, date);
  if (others.length === 0) return;
  const startTime = time ?? (await findStartTime(trx, tour.id));
  if (others.some((other) => other.startTime === startTime))
    throw new DepartureExistsError(tour.slug, nameDeparture(date, startTime));
  if (startTime === null || others.some((other) => other.startTime === null))
    throw new DepartureHasNoTimeError(tour.slug, date, startTime === null);
}

/** Decimal texts in major units of the tour's currency, of the categories to change. */
export type NewPrices = { [Category in keyof Prices]?: string };

/**
 * Sets prices of a departure. The other categories keep theirs, and so do holds and bookings. Enqueues `departure.updated`.
 * @throws InvalidAmountError for more decimals than the currency has; errors of findNamedDeparture, DepartureBusyError
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
 * @throws errors of findNamedDeparture, DepartureBusyError
 */
async function lockTourDeparture(trx: Trx, tour: TourOfDeparture, named: NamedDeparture): Promise<Departure> {
  const id = await findNamedDeparture(trx, tour, named);
  const { at } = await relockDeparture(trx, id);
  const departure = await findDepartureById(trx, id, false, at);
  // An import deleted the departure during the wait for the lock.
  if (!departure) throw new DepartureNotFoundError(tour.slug, named);
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

export type { DepartureChange };

/** Limits the departures of one statement. */
const BATCH_LIMIT = 1_000;

/**
 * Enqueues the events of changed departures, in the transaction that changes them: one for each departure and each tenant with a live
 * hold or a standing booking there. The caller holds the departures' locks, so a concurrent sale is either committed and named in the
 * event, or made after the change.
 * @param findChanges is called only if an endpoint subscribes to these events; returns each departure once
 * @param write makes the changes, if they are not made yet: the events show the departures as they are then
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

// Only the terminal shows these errors; departure.errors.ts has those of HTTP.

class DepartureExistsError extends AppError {
  readonly code = 'departure_exists';

  constructor(tourSlug: string, name: string) {
    super(
      `${tourSlug} already has a departure on ${name}: departure set-seats, set-price and reopen change it`,
    );
  }
}

class DepartureHasNoTimeError extends AppError {
  readonly code = 'departure_has_no_time';

  /** @param isNew true: the new departure has none; false: the one that exists */
  constructor(tourSlug: string, date: string, isNew: boolean) {
    super(
      isNew
        ? `${tourSlug} already has a departure on ${date}: a second one needs a start time`
        : `the departure of ${tourSlug} on ${date} has no start time: departure set-time gives it one, then others can be added`,
    );
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
