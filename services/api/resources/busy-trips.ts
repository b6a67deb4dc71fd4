import type { Trx } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import { START_TIME } from '../catalog/start-time';

/** A sold departure whose trip no unit of a resource can make, or that has more seats than a unit carries. */
export interface BusyTrip {
  /** The slug of its tour. */
  tour: string;
  departureDate: string;
  /** HH:MM. Null: none. */
  departureTime: string | null;
  from: Date;
  to: Date;
  /** Held and booked seats. */
  seats: number;
  /** The first 100. */
  bookingRefs: string[];
  bookingsTotal: number;
}

/** SQL of the columns of a BusyTrip, after SALES_BY_TIME. */
export const BUSY_TRIP = `t.slug as tour, d.departure_date, ${START_TIME} as departure_time, lower(u.during) as "from", upper(u.during) as "to",
       sold.taken as seats, refs.booking_refs, refs.bookings_total`;

/**
 * SQL that joins the tour and the real sales of the departure `d`, whose use of a resource is `u`, at `clock.at`, and orders the sold ones by
 * time.
 */
export const SALES_BY_TIME = `join tours t on t.id = d.tour_id
       cross join lateral count_seats(d.id, false, clock.at) as sold
       cross join lateral (
         select count(*)::integer as bookings_total, coalesce((array_agg(l.booking_ref order by l.id))[1:100], '{}') as booking_refs
         from booking_leads l
         where l.departure_id = d.id and not l.sandbox and lead_stands(l.status, l.payment_due_at, clock.at)) as refs
     where sold.taken > 0
     order by lower(u.during), t.slug, d.id`;

/** Returns the trips as documents show them. */
export function toBusyDocuments(trips: BusyTrip[]) {
  return trips.map((trip) => ({
    tour: trip.tour,
    departure_date: trip.departureDate,
    departure_time: trip.departureTime,
    from: trip.from.toISOString(),
    to: trip.to.toISOString(),
    seats: trip.seats,
    booking_refs: trip.bookingRefs,
    bookings_total: trip.bookingsTotal,
  }));
}

/** Sold trips contradict the change of a resource, or of the uses of departures. */
export class ResourceBusyError extends AppError {
  readonly code = 'resource_busy';

  constructor(readonly trips: BusyTrip[]) {
    const [{ tour, departureDate }] = trips as [BusyTrip];
    const more = trips.length > 1 ? `, and ${trips.length - 1} more` : '';
    super(`What is sold needs the resource: ${tour} on ${departureDate}${more}. ${wayOut(trips)}`);
  }

  override get facts(): Record<string, unknown> {
    return { trips: toBusyDocuments(this.trips) };
  }
}

/** Says what frees the resource. A trip without a booking has holds. */
function wayOut(trips: BusyTrip[]): string {
  const withBookings = trips.filter(({ bookingsTotal }) => bookingsTotal > 0).length;
  if (withBookings === 0) return 'These are holds: release them first, or wait until they expire.';
  if (withBookings === trips.length) return 'Move or cancel these bookings first.';
  return 'Move or cancel these bookings, and release the holds, first.';
}

/**
 * Checks after a change, in its transaction, that the resources of the departures still make all sold trips to come, as the trigger at COMMIT does.
 * Sales of the sandbox and closings do not count. The caller holds the locks of the departures and of their resources.
 * @param departureIds the departures whose uses or times have changed, or that use a changed resource
 * @throws ResourceBusyError
 * @rule sold trips refuse a change of their resources: test/resources/operate-resources.test.ts
 */
export async function assertTripsFit(trx: Trx, departureIds: string[]): Promise<void> {
  const trips = await findBusyTrips(trx, departureIds);
  if (trips.length > 0) throw new ResourceBusyError(trips);
}

/** Returns the trips of the departures that do not fit, and those that meet them, in the order of their times. */
async function findBusyTrips(trx: Trx, departureIds: string[]): Promise<BusyTrip[]> {
  const { rows } = await trx.raw<{ rows: BusyTrip[] }>(
    `with clock as materialized (select clock_timestamp() as at), busy as materialized (
       select u.resource_id, u.during
       from clock, departures d
         cross join lateral count_seats(d.id, false, clock.at) as sold
         cross join lateral resource_loads(d.id, false, clock.at) as load
         join departure_uses u on u.departure_id = d.id and u.resource_id = load.resource_id
       where d.id = any(:departureIds::uuid[]) and d.status = 'scheduled' and sold.taken > 0 and upper(u.during) > clock.at
         and (load.others >= load.units or load.seats > load.places)
     )
     select ${BUSY_TRIP}
     from clock
       cross join lateral (
         select near.departure_id, near.during from busy
           join resources r on r.id = busy.resource_id
           join departure_uses near on near.resource_id = busy.resource_id and near.during && tstzrange(
             lower(busy.during) - make_interval(mins => r.turnaround), upper(busy.during) + make_interval(mins => r.turnaround))
         group by near.departure_id, near.during) u
       join departures d on d.id = u.departure_id and d.status = 'scheduled'
       ${SALES_BY_TIME}`,
    { departureIds },
  );
  return rows;
}
