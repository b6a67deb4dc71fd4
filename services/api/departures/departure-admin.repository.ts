import type { Db, Trx } from '../../platform/database';
import type { DepartureRowStatus } from '../catalog/files/stored-rows';

export async function findDepartureId(db: Db, tourId: string, date: string): Promise<string | undefined> {
  const row = await db('departures')
    .where({ tour_id: tourId, departure_date: date })
    .first<{ id: string } | undefined>('id');
  return row?.id;
}

/** Writes to a departure whose lock the caller holds, and then to its tour: the order in which a booking meets them. */
export async function changeDeparture(
  trx: Trx,
  departure: { id: string; tourId: string },
  change: { status?: DepartureRowStatus; seatsTotal?: number },
): Promise<void> {
  const columns = {
    ...(change.status === undefined ? {} : { status: change.status }),
    ...(change.seatsTotal === undefined ? {} : { seats_total: change.seatsTotal }),
  };
  const now = trx.raw('clock_timestamp()');
  await trx('departures')
    .where({ id: departure.id })
    .update({ ...columns, updated_at: now });
  await trx('tours')
    .where({ id: departure.tourId })
    .update({ revision: trx.raw('revision + 1'), updated_at: now });
}

export interface StandingBooking {
  bookingRef: string;
  /** Slug of the tenant that sold it. */
  tenant: string;
}

/** Bookings that keep seats of a departure, the oldest first. */
export async function findStandingBookings(db: Db, departureId: string): Promise<StandingBooking[]> {
  const { rows } = await db.raw(
    `select l.booking_ref, t.slug
     from booking_leads l join tenants t on t.id = l.tenant_id
     where l.departure_id = :departureId and l.status in ('pending_payment', 'confirmed')
       and lead_stands(l.status, l.payment_due_at, clock_timestamp())
     order by l.id`,
    { departureId },
  );
  return rows.map((row: { booking_ref: string; slug: string }) => ({
    bookingRef: row.booking_ref,
    tenant: row.slug,
  }));
}
