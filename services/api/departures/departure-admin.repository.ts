import type { Db, Trx } from '../../platform/database';
import type { PricedTour, Prices } from '../pricing/prices';

/** Returns the id of the tour's departure on a date. */
export async function findDepartureId(db: Db, tourId: string, date: string): Promise<string | undefined> {
  const row = await db('departures')
    .where({ tour_id: tourId, departure_date: date })
    .first<{ id: string } | undefined>('id');
  return row?.id;
}

/** Locks a tour against imports and other additions until the transaction ends, and returns how its prices are written. */
export async function lockPricedTour(
  trx: Trx,
  id: string,
): Promise<Pick<PricedTour, 'currency' | 'currencyDigits'>> {
  return trx('tours').where({ id }).forNoKeyUpdate().first('currency', 'currency_digits');
}

/** Inserts a departure into a tour whose lock the caller holds, and revises the tour. @returns the departure's id */
export async function insertDeparture(
  trx: Trx,
  tourId: string,
  departure: {
    date: string;
    returnDate: string | null;
    seatsTotal: number;
    closesAt: Date | null;
    prices: Prices;
  },
): Promise<string> {
  const [row] = await trx('departures')
    .insert({
      tour_id: tourId,
      departure_date: departure.date,
      return_date: departure.returnDate,
      seats_total: departure.seatsTotal,
      closes_at: departure.closesAt,
      prices_minor: JSON.stringify(departure.prices),
    })
    .returning<{ id: string }[]>('id');
  await reviseTour(trx, tourId);
  return row!.id;
}

/** Updates a departure whose lock the caller holds, then its tour: the lock order of a booking. */
export async function changeDeparture(
  trx: Trx,
  departure: { id: string; tour: { id: string } },
  change: { status?: 'scheduled' | 'cancelled'; seatsTotal?: number; prices?: Prices },
): Promise<void> {
  const columns = {
    ...(change.status === undefined ? {} : { status: change.status }),
    ...(change.seatsTotal === undefined ? {} : { seats_total: change.seatsTotal }),
    ...(change.prices === undefined ? {} : { prices_minor: JSON.stringify(change.prices) }),
  };
  await trx('departures')
    .where({ id: departure.id })
    .update({ ...columns, updated_at: trx.raw('clock_timestamp()') });
  await reviseTour(trx, departure.tour.id);
}

/** Makes every instance drop its cached entries of the tour from the commit on. */
async function reviseTour(trx: Trx, id: string): Promise<void> {
  await trx('tours')
    .where({ id })
    .update({ revision: trx.raw('revision + 1'), updated_at: trx.raw('clock_timestamp()') });
}

export interface StandingBooking {
  bookingRef: string;
  /** Slug of the tenant that sold it. */
  tenant: string;
  status: string;
  adults: number;
  children: number;
  externalRef: string | null;
  /** All null after anonymization. */
  customer: { name: string | null; phone: string | null; email: string | null };
}

/** Returns the bookings that occupy real seats of a departure, the oldest first. */
export async function findStandingBookings(db: Db, departureId: string): Promise<StandingBooking[]> {
  const { rows } = await db.raw(
    `select l.booking_ref, t.slug as tenant, l.status, l.adults, l.children, l.external_ref, l.customer_name, l.customer_phone, l.customer_email
     from booking_leads l join tenants t on t.id = l.tenant_id
     where l.departure_id = :departureId and not l.sandbox and l.status in ('pending_payment', 'confirmed')
       and lead_stands(l.status, l.payment_due_at, clock_timestamp())
     order by l.id`,
    { departureId },
  );
  return rows.map(toStandingBooking);
}

/** Counts the live holds of real seats of a departure, and these seats. */
export async function countLiveHoldsOf(
  db: Db,
  departureId: string,
): Promise<{ holds: number; seats: number }> {
  const { rows } = await db.raw(
    `select count(*)::integer as holds, coalesce(sum(quantity), 0)::integer as seats from seat_holds
     where departure_id = :departureId and not sandbox and hold_lives(status, expires_at, clock_timestamp())`,
    { departureId },
  );
  return rows[0];
}

type StandingRow = Omit<StandingBooking, 'customer'> &
  Record<'customerName' | 'customerPhone' | 'customerEmail', string | null>;

function toStandingBooking(row: StandingRow): StandingBooking {
  const { customerName: name, customerPhone: phone, customerEmail: email, ...booking } = row;
  return { ...booking, customer: { name, phone, email } };
}
