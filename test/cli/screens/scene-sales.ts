import type { Db } from '../../../services/platform/database/database';

/**
 * The sales of fourteen days; today is last. Each day has its number of holds, of bookings from these holds, and of refusals for
 * lack of seats.
 */
const DAYS = [
  [5, 2, 0],
  [4, 2, 0],
  [7, 3, 0],
  [9, 4, 1],
  [6, 3, 0],
  [3, 1, 0],
  [4, 2, 0],
  [8, 4, 0],
  [10, 5, 2],
  [12, 5, 6],
  [9, 4, 3],
  [5, 3, 0],
  [4, 2, 0],
  [2, 1, 0],
] as const;

const FIRST_BOOKING = 1001;

/** Makes 41 bookings of the tenant "riviera", so that the next booking has number 1042. */
export async function givenSalesOfTwoWeeks(db: Db): Promise<void> {
  let booked = 0;
  for (const [index, [holds, bookings, soldOut]] of DAYS.entries()) {
    const daysAgo = DAYS.length - 1 - index;
    for (let n = 0; n < holds; n++) {
      const hold = await insertHold(db, daysAgo, n < bookings);
      if (n < bookings) await insertBooking(db, daysAgo, hold, `RIV-${FIRST_BOOKING + booked++}`);
    }
    if (soldOut > 0) await countRefusals(db, daysAgo, soldOut);
  }
}

interface Hold {
  id: string;
  tenantId: string;
  departureId: string;
}

async function insertHold(db: Db, daysAgo: number, booked: boolean): Promise<Hold> {
  const { rows } = await db.raw(
    `insert into seat_holds (tenant_id, departure_id, party, seats, hold_minutes, status, expires_at, prices_minor, currency,
       currency_digits, price_breakdown, created_at, ended_at)
     select t.id, d.id, '{"adult": 2}', 2, 15, :status, at + interval '15 minutes', '{"adult": 64000}', 'EUR', 2, '{}', at, at + interval '5 minutes'
     from tenants t, departures d join tours o on o.id = d.tour_id, (select now() - make_interval(days => :daysAgo) as at) as made
     where t.slug = 'riviera' and o.slug = 'riviera-by-bike' order by d.departure_date offset :nth limit 1
     returning id, tenant_id, departure_id`,
    { daysAgo, nth: daysAgo % 4, status: booked ? 'converted' : 'released' },
  );
  return rows[0];
}

function statusAfter(daysAgo: number): string {
  if (daysAgo > 10) return 'expired';
  return daysAgo > 2 ? 'confirmed' : 'pending_payment';
}

async function insertBooking(db: Db, daysAgo: number, hold: Hold, ref: string): Promise<void> {
  const status = statusAfter(daysAgo);
  await db.raw(
    `insert into booking_leads (booking_ref, tenant_id, tour_id, departure_id, departure_date, hold_id, party, seats, status,
       prices_minor, total_minor, deposit_minor, currency, currency_digits, price_breakdown, payment_method,
       customer_name, customer_phone, customer_email, created_at, payment_due_at)
     select :ref, :tenantId, tour_id, id, departure_date, :id, '{"adult": 2}', 2, :status, '{"adult": 64000}', 128000, 25600, 'EUR', 2, '{}', 'bank',
       'Kim Larsen', '+4530901820', 'kim@example.com', at, at + interval '72 hours'
     from departures, (select now() - make_interval(days => :daysAgo) as at) as made where id = :departureId`,
    { ...hold, ref, status, daysAgo },
  );
}

async function countRefusals(db: Db, daysAgo: number, count: number): Promise<void> {
  await db.raw(
    `insert into sale_refusal_counts (day, tenant_id, operation, code, count)
     select (now() at time zone 'UTC')::date - ?::integer, id, 'hold.place', 'insufficient_seats', ?
     from tenants where slug = 'riviera'`,
    [daysAgo, count],
  );
}
