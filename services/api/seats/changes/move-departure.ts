import type { Trx } from '../../../platform/database/database';
import { AppError } from '../../../platform/errors';
import { enqueueDelivery } from '../../../webhook-queue/enqueue-delivery';
import type { ChangedFields } from '../../audit/changed-fields';
import type { BookingLead } from '../../bookings/booking-lead';
import { findLeadsById, lockStandingLeads, moveSaleRows } from '../../bookings/booking-lead.repository';
import { enqueueBookingEvents } from '../../bookings/booking-events';
import { refundPercentAt } from '../../bookings/refund';
import { nameDeparture } from '../../catalog/start-time';
import { type Departure, isOpen, type LockedDeparture, seatsLeft } from '../../departures/departure';
import {
  findNamedDeparture,
  type NamedDeparture,
  type TourOfDeparture,
} from '../../departures/find-departures';
import { hasExpired } from '../../departures/mark-expired-seats';
import { octoHoldEvent } from '../../holds/octo-booking';
import { insertHoldChanges, lockLiveHolds } from '../../holds/seat-hold.repository';
import type { Actor } from '../../tenants/actor';
import { datesOfBothKinds } from '../after-commit';
import type { BulkChange, BulkFacts } from '../bulk-change';
import { countedKey } from '../read/facts';
import { presentDeparture } from './change-departure';

/** The bookings and holds of a departure after a move. */
export interface MovedDeparture {
  from: Departure;
  to: Departure;
  /** The moved bookings, as they are after the move, the oldest first. */
  moved: BookingLead[];
  /** The bookings for which the other departure has too few free seats, the oldest first. */
  left: BookingLead[];
  holdsMoved: number;
  holdsLeft: number;
}

/** The two departures of a move, both of one tour. */
interface NamedMove {
  from: NamedDeparture;
  to: NamedDeparture;
  by: Actor;
}

/**
 * Moves the standing bookings and live holds of a departure to another departure of the same tour, as long as they fit into the free seats.
 * Moves bookings before holds, and the oldest ones first. The bookings and holds keep their prices, deposits and payment windows, and a
 * cancellation refunds at least the share that it refunded before the move. A hold ends no later than the other departure closes, and an
 * unpaid booking no later than it is past (a trigger of 0147_payment_window.sql). Enqueues `booking.updated` for each booking, and the
 * notification of each hold of OCTO. The old departure may be cancelled, closed or past. Limits of tenants do not apply, because the operator
 * decides.
 * @throws errors of findNamedDeparture; the change ClosedToMovesError if the other departure cannot be booked
 */
export async function moveDeparture(
  trx: Trx,
  tour: TourOfDeparture,
  { by, ...named }: NamedMove,
): Promise<BulkChange<MovedDeparture>> {
  const from = { ...named.from, id: await findNamedDeparture(trx, tour, named.from) };
  const to = { ...named.to, id: await findNamedDeparture(trx, tour, named.to) };
  return {
    departureIds: [from.id, to.id],
    locksResources: true,
    change: async (_, facts) => {
      const real = presentDeparture(facts, tour, to);
      if (!isOpen(real)) throw new ClosedToMovesError(tour.slug, real);
      const departures = { from: presentDeparture(facts, tour, from), to: real };
      const test = presentDeparture(facts, tour, to, true);
      const emptied = {
        real: withoutTripOf(facts, real, from.id),
        test: withoutTripOf(facts, test, from.id),
      };
      const result = await moveAll(trx, departures, [freeOf(emptied), freeOf({ real, test })], by);
      const isMoved = result.moved.length + result.holdsMoved > 0;
      const dates = [result.from, result.to].map(({ departureDate }) => departureDate);
      const changed = isMoved || hasExpired(facts.expired) ? dates : [];
      return { result, changed: changed.flatMap((date) => datesOfBothKinds(tour.id, date)) };
    },
  };
}

async function moveAll(
  trx: Trx,
  { from, to }: Pick<MovedDeparture, 'from' | 'to'>,
  [free, freeWithRest]: [FreeSeats, FreeSeats],
  by: Actor,
): Promise<MovedDeparture> {
  const fields = fieldsOf(from, to);
  const standing = await lockStandingLeads(trx, from.id);
  const leads = await findLeadsById(
    trx,
    standing.map(({ id }) => id),
  );
  const sales = { leads, holds: await lockLiveHolds(trx, from.id) };
  const all = planMove(sales, free);
  const isComplete = all.bookings.left.length + all.holds.left.length === 0;
  const { bookings, holds } = isComplete ? all : planMove(sales, freeWithRest);
  const holdIds = holds.fitting.map(({ id }) => id);
  const moved = await moveSales(trx, { leads: bookings.fitting, holdIds }, to, { by, fields });
  await insertHoldChanges(trx, holdIds, { by, fields });
  await enqueueDelivery(trx, ...holds.fitting.map(octoHoldEvent));
  return {
    from,
    to,
    moved,
    left: bookings.left,
    holdsMoved: holdIds.length,
    holdsLeft: holds.left.length,
  };
}

class ClosedToMovesError extends AppError {
  readonly code: 'departure_cancelled' | 'departure_gone';

  constructor(tourSlug: string, { departureDate, startTime, past, closed }: Departure) {
    const name = `${tourSlug} on ${nameDeparture(departureDate, startTime)}`;
    // Names the cancellation last: a departure that is past or closed takes no bookings after `departure reopen` either.
    const gone = past || closed;
    const ended = past ? 'past' : 'closed for booking';
    super(
      gone
        ? `${name} is ${ended}: name another departure`
        : `${name} is cancelled: reopen it, or name another departure`,
    );
    this.code = gone ? 'departure_gone' : 'departure_cancelled';
  }
}

/** Free seats of a departure. `real`: for real tenants. `test`: for sandbox tenants. */
interface FreeSeats {
  real: number;
  test: number;
}

/**
 * Assigns free seats to the sales in their order. Skips a sale that needs more seats than are left. A later, smaller sale may still fit.
 */
function takeFitting<Sale extends { sandbox: boolean }>(
  sales: Sale[],
  free: FreeSeats,
  seatsOfSale: (sale: Sale) => number,
): { fitting: Sale[]; left: Sale[] } {
  const fitting: Sale[] = [];
  const left: Sale[] = [];
  for (const sale of sales) {
    const kind = sale.sandbox ? 'test' : 'real';
    const fits = seatsOfSale(sale) <= free[kind];
    if (fits) free[kind] -= seatsOfSale(sale);
    (fits ? fitting : left).push(sale);
  }
  return { fitting, left };
}

/** Assigns the free seats to the bookings, then to the holds. */
function planMove<Hold extends { sandbox: boolean; seats: number }>(
  { leads, holds }: { leads: BookingLead[]; holds: Hold[] },
  { ...free }: FreeSeats,
) {
  const bookings = takeFitting(leads, free, ({ seats }) => seats);
  return { bookings, holds: takeFitting(holds, free, ({ seats }) => seats) };
}

function freeOf({ real, test }: { real: Departure; test: Departure }): FreeSeats {
  return { real: seatsLeft(real), test: seatsLeft(test) };
}

/** Returns the departure with the seats that its resources leave once the other departure is empty, so that its trip has ended. */
function withoutTripOf(
  { trips, departures }: BulkFacts,
  to: LockedDeparture,
  fromId: string,
): LockedDeparture {
  if (to.resourceIds.length === 0) return to;
  const seats = departures.get(countedKey(fromId, to.sandbox))?.seatsTaken ?? 0;
  return { ...to, ...trips.leftFor(to.id, to.sandbox, { departureId: fromId, seats }) };
}

/**
 * Moves the rows by one statement: between two, the bookings and the holds would need the same boat at two times.
 * @rule how much a move by the operator keeps of a refund: test/cli/refund-floor.long.test.ts
 */
async function moveSales(
  trx: Trx,
  { leads, holdIds }: { leads: BookingLead[]; holdIds: string[] },
  to: Departure,
  { by, fields }: { by: Actor; fields: ChangedFields },
): Promise<BookingLead[]> {
  const changes = leads.map((lead) => {
    const refundFloor = refundPercentAt(lead, lead.asOf);
    return {
      id: lead.id,
      refundFloor,
      fields: { ...fields, ...fieldsOfFloor(lead.refundFloor, refundFloor) },
    };
  });
  await moveSaleRows(trx, { leads: changes, holdIds }, { to, by });
  const moved = await findLeadsById(
    trx,
    leads.map(({ id }) => id),
  );
  await enqueueBookingEvents(trx, 'booking.updated', moved);
  return moved;
}

/** Returns the field that changes in a booking with its lowest refund, under the name that a change by the guest has too. */
function fieldsOfFloor(before: number | null, after: number | null): ChangedFields {
  return before === after ? {} : { lowest_refund_percent: [before, after] };
}

/** Returns the fields that change in each booking and hold. */
function fieldsOf(from: Departure, to: Departure): ChangedFields {
  const fields: ChangedFields = {};
  if (from.departureDate !== to.departureDate) fields.departure_date = [from.departureDate, to.departureDate];
  if (from.startTime !== to.startTime) fields.departure_time = [from.startTime, to.startTime];
  return fields;
}
