import { isDeepStrictEqual } from 'node:util';
import type { Trx } from '../../../platform/database/database';
import { AppError } from '../../../platform/errors';
import { nameDeparture } from '../../catalog/start-time';
import { assertNotSkipped, type NewPrices, toPrices } from '../../departures/add-departures';
import { type Departure, type LockedDeparture, SEATS_TOTAL_MAX } from '../../departures/departure';
import { changeDeparture, findDeparturesById, findLocalStarts } from '../../departures/departure.repository';
import { countLiveHoldsOf } from '../../departures/departure-sales.repository';
import { enqueueDepartureEvents } from '../../departures/departure-events';
import {
  DepartureNotFoundError,
  findNamedDeparture,
  type NamedDeparture,
  type TourOfDeparture,
} from '../../departures/find-departures';
import { assertTripsFit } from '../../resources/busy-trips';
import type { Tenant } from '../../tenants/tenant';
import { type ChangedDate, datesOfBothKinds } from '../after-commit';
import type { BulkChange, BulkFacts } from '../bulk-change';
import { lockedDeparture } from '../rules/departure-rules';

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
 * @throws errors of findNamedDeparture
 */
export async function cancelDeparture(
  trx: Trx,
  tour: TourOfDeparture,
  named: NamedDeparture,
): Promise<BulkChange<CancelledDeparture>> {
  return changeOfDeparture(trx, tour, named, async (before) => {
    let tenantsInformed: number | null = null;
    if (!before.cancelled) {
      await changeDeparture(trx, before, { status: 'cancelled' });
      tenantsInformed = await enqueueDepartureEvent(trx, before, null);
    }
    const live = await countLiveHoldsOf(trx, before.id);
    return { before, after: { ...before, cancelled: true }, tenantsInformed, live };
  });
}

/**
 * Puts a cancelled departure on sale again, with its remaining seats. Enqueues `departure.updated` if the departure was cancelled.
 * @throws errors of findNamedDeparture; the change ResourceBusyError if its resources make other sold trips
 */
export async function reopenDeparture(
  trx: Trx,
  tour: TourOfDeparture,
  named: NamedDeparture,
): Promise<BulkChange<ChangedDeparture>> {
  return changeOfDeparture(trx, tour, named, async (before) => {
    if (before.cancelled) {
      await changeDeparture(trx, before, { status: 'scheduled' });
      await assertTripsFit(trx, [before.id]);
      await enqueueDepartureEvent(trx, before, ['status']);
    }
    return { before, after: await departureAfter(trx, before) };
  }).then(lockingResources);
}

/**
 * Sets the number of seats of a departure. Enqueues `departure.updated` if the number changes.
 * @param seatsTotal 1 to 100000
 * @throws errors of findNamedDeparture; the change SeatsTakenError if more real seats than `seatsTotal` are held or booked
 */
export async function setSeats(
  trx: Trx,
  tour: TourOfDeparture,
  named: NamedDeparture,
  seatsTotal: number,
): Promise<BulkChange<ChangedDeparture>> {
  return changeOfDeparture(trx, tour, named, async (before) => {
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
  });
}

/**
 * Checks that the sales of the tenant may raise the seats of departures.
 * @throws SandboxSeatsError
 * @rule a sale of a sandbox tenant raises no seats: test/cli/booking-import-seats.test.ts
 */
export function assertMayAddSeats(tenant: Pick<Tenant, 'slug' | 'sandbox'>): void {
  if (tenant.sandbox) throw new SandboxSeatsError(tenant);
}

/**
 * Raises the number of seats of a departure by what a sale of the tenant lacks. A departure with enough free seats stays as it is. Enqueues
 * `departure.updated` if the number changes. The sale refuses a departure that would need more than SEATS_TOTAL_MAX seats.
 * @param seatsOf returns how many more seats the sale takes
 * @throws SandboxSeatsError, errors of findNamedDeparture
 */
export async function addMissingSeats(
  trx: Trx,
  tenant: Tenant,
  tour: TourOfDeparture,
  named: NamedDeparture,
  seatsOf: (departure: Departure) => number,
): Promise<BulkChange<ChangedDeparture>> {
  assertMayAddSeats(tenant);
  return changeOfDeparture(trx, tour, named, async (before) => {
    const needed = Math.max(before.seatsTotal, before.seatsTaken + seatsOf(before));
    if (needed === before.seatsTotal || needed > SEATS_TOTAL_MAX) return { before, after: before };
    await changeDeparture(trx, before, { seatsTotal: needed });
    await enqueueDepartureEvent(trx, before, ['seats_total']);
    return { before, after: { ...before, seatsTotal: needed } };
  });
}

/**
 * Sets the start time of a departure that has none. Its bookings and holds stay. Enqueues `departure.updated` if the time was set.
 * @param startTime HH:MM
 * @throws errors of findNamedDeparture; the change DepartureHasTimeError if the departure has another time, SkippedTimeError, ResourceBusyError
 */
export async function setStartTime(
  trx: Trx,
  tour: TourOfDeparture,
  named: NamedDeparture,
  startTime: string,
): Promise<BulkChange<ChangedDeparture>> {
  return changeOfDeparture(trx, tour, named, async (before) => {
    if (before.startTime !== null && before.startTime !== startTime)
      throw new DepartureHasTimeError(tour.slug, nameDeparture(before.departureDate, before.startTime));
    if (before.startTime !== null) return { before, after: before };
    const starts = await findLocalStarts(trx, tour.id, [{ date: before.departureDate, startTime }]);
    assertNotSkipped(starts);
    await changeDeparture(trx, before, { startTime });
    await assertTripsFit(trx, [before.id]);
    await enqueueDepartureEvent(trx, before, ['start_time']);
    return { before, after: await departureAfter(trx, before) };
  }).then(lockingResources);
}

/**
 * Sets prices of a departure. Categories that are not given keep their prices. Existing holds and bookings keep their prices too. Enqueues
 * `departure.updated` if a price changes.
 * @throws errors of findNamedDeparture; the change errors of toPrices
 */
export async function setPrices(
  trx: Trx,
  tour: TourOfDeparture,
  named: NamedDeparture,
  given: NewPrices,
): Promise<BulkChange<ChangedDeparture>> {
  return changeOfDeparture(trx, tour, named, async (before) => {
    const prices = { ...before.prices, ...toPrices(given, before.tour) };
    if (!isDeepStrictEqual(prices, before.prices)) {
      await changeDeparture(trx, before, { prices });
      await enqueueDepartureEvent(trx, before, ['prices']);
    }
    return { before, after: { ...before, prices } };
  });
}

/**
 * Builds the change of a departure.
 * @param write gets the departure with its real seats, which do not change until the transaction ends
 * @throws errors of findNamedDeparture
 */
async function changeOfDeparture<Result extends ChangedDeparture>(
  trx: Trx,
  tour: TourOfDeparture,
  named: NamedDeparture,
  write: (before: Departure) => Promise<Result>,
): Promise<BulkChange<Result>> {
  const id = await findNamedDeparture(trx, tour, named);
  return {
    departureIds: [id],
    change: async (_, facts) => {
      const result = await write(presentDeparture(facts, tour, { ...named, id }));
      return { result, changed: datesOfChange(result) };
    },
  };
}

/** Lets a change of a departure lock its resources, because it changes their trips. */
function lockingResources<Result>(change: BulkChange<Result>): BulkChange<Result> {
  return { ...change, locksResources: true };
}

/**
 * Returns the locked departure.
 * @param sandbox true: with its seats of the sandbox; false: with its real seats
 * @throws DepartureNotFoundError if an import deleted it during the wait for the lock
 */
export function presentDeparture(
  facts: BulkFacts,
  tour: TourOfDeparture,
  { id, ...named }: NamedDeparture & { id: string },
  sandbox = false,
): LockedDeparture {
  const departure = lockedDeparture(facts, { sandbox }, id);
  if (!departure) throw new DepartureNotFoundError(tour.slug, named);
  return departure;
}

/** Reads a departure after its change, with its real seats: its trips have changed, so that its resources may leave others. */
export async function departureAfter(trx: Trx, { id }: Departure): Promise<Departure> {
  const [after] = await findDeparturesById(trx, [id], { sandbox: false });
  return after!;
}

/** Returns the dates whose free seats differ after the change. */
function datesOfChange({ before, after }: ChangedDeparture): ChangedDate[] {
  const isSame =
    before.cancelled === after.cancelled &&
    before.seatsTotal === after.seatsTotal &&
    before.startTime === after.startTime;
  const dates = isSame ? [] : datesOfBothKinds(before.tour.id, before.departureDate);
  return dates.map((date) => ({ ...date, inCatalog: true }));
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

// Only the terminal shows these errors. departure.errors.ts has the errors of HTTP requests.

class DepartureHasTimeError extends AppError {
  readonly code = 'departure_has_time';

  constructor(tourSlug: string, name: string) {
    super(`${tourSlug} on ${name} has a start time: cancel it and add another departure instead`);
  }
}

/** A sale of a sandbox tenant takes no real seat, so it raises none. */
class SandboxSeatsError extends AppError {
  readonly code = 'sandbox_tenant';

  constructor({ slug }: Pick<Tenant, 'slug'>) {
    super(`${slug} is a sandbox tenant: --add-seats is for sales that take real seats`);
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
