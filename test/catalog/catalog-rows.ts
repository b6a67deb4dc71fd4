import type { Db } from '../../services/platform/database/database';

/** The fields of a row that tests read. */
export interface DepartureRow {
  id: string;
  tourId: string;
  departureDate: string;
  seatsTotal: number;
  status: string;
  pricesMinor: Record<string, number>;
  closesAt: Date | null;
  closesBefore: string | null;
  updatedAt: Date;
}

export interface TourRow {
  id: string;
  nameFolded: string;
  continent: string;
  status: string;
  revision: number;
  updatedAt: Date;
  questions: unknown[] | null;
}

export async function departureOf(db: Db, slug: string, date: string): Promise<DepartureRow> {
  return db('departures')
    .select('departures.*')
    .join('tours', 'tours.id', 'departures.tour_id')
    .where({ 'tours.slug': slug, departure_date: date })
    .first();
}

export async function tourOf(db: Db, slug: string): Promise<TourRow> {
  return db('tours').where({ slug }).first();
}

export async function insertHold(
  db: Db,
  tenantId: string,
  departureId: string,
  adults: number,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const [row] = await db('seat_holds')
    .insert({
      tenant_id: tenantId,
      departure_id: departureId,
      seats: adults,
      party: { adult: adults },
      hold_minutes: 15,
      expires_at: db.raw("now() + interval '15 minutes'"),
      prices_minor: { adult: 129000 },
      currency: 'EUR',
      currency_digits: 2,
      price_breakdown: {},
      ...fields,
    })
    .returning('id');
  return row.id;
}

/** Inserts an unpaid booking that takes its seats. */
export async function insertLead(
  db: Db,
  tenantId: string,
  departure: DepartureRow,
  bookingRef: string,
  { adults = 2, ...fields }: { adults?: number } & Record<string, unknown> = {},
): Promise<number> {
  const [row] = await db('booking_leads')
    .insert({
      booking_ref: bookingRef,
      tenant_id: tenantId,
      tour_id: departure.tourId,
      departure_id: departure.id,
      departure_date: departure.departureDate,
      seats: adults,
      party: { adult: adults },
      prices_minor: { adult: 129000 },
      total_minor: 129000 * adults,
      deposit_minor: 0,
      currency: 'EUR',
      currency_digits: 2,
      price_breakdown: {},
      payment_method: 'bank',
      customer_name: 'Ana',
      customer_phone: '+4912345678',
      customer_email: 'ana@example.com',
      ...fields,
    })
    .returning('id');
  return row.id;
}
