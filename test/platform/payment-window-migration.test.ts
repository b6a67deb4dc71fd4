import { inTransaction } from '../../services/platform/database/database';
import { migrateWithin } from '../../services/platform/migrate/migrate';
import { listMigrations } from '../../services/platform/migrate/migration-files';
import { insertHold, insertLead } from '../catalog/catalog-rows';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { daysFromToday, givenDeparture, givenTour, type GivenTour } from '../support/given';
import { add } from '../webhook-queue/queue-fixture';

const MIGRATION = '0147_payment_window';
const [YESTERDAY, TOMORROW, LATER] = [daysFromToday(-1), daysFromToday(1), daysFromToday(30)];
const endOf = (date: string) => new Date(Date.parse(date) + 86_400_000);

let database: TestDatabase;
let tour: GivenTour;
let tenantId: string;
let windowEnd: Date;
let closesAt: Date;
let hourAway: Date;
let before: Record<string, unknown>[];

const instant = (text: string) => new Date(text);
const from = (time: Date, ms: number) => new Date(time.getTime() + ms);

async function departureOn(date: string) {
  const { db } = database;
  const found = await db('departures').where({ tour_id: tour.id, departure_date: date }).first();
  return found;
}

/** Inserts an unpaid booking as the release before does. */
async function lead(ref: string, date: string | null, fields: object = {}) {
  const departure = date === null ? { tourId: tour.id } : await departureOn(date);
  await insertLead(database.db, tenantId, departure as never, ref, { payment_due_at: windowEnd, ...fields });
}

const hold = async (date: string, fields: object) =>
  insertHold(database.db, tenantId, (await departureOn(date)).id, 1, { expires_at: hourAway, ...fields });

const leads = () =>
  database
    .db('booking_leads')
    .orderBy('booking_ref')
    .select('booking_ref', 'status', 'payment_due_at', 'payment_window_ends_at', 'expired_at');
const holdsOf = () => database.db('seat_holds').select('external_ref', 'status', 'expires_at', 'ended_at');

beforeAll(async () => {
  database = await createTestDatabase('template0');
  const { db } = database;
  const earlier = listMigrations().filter((name) => name < MIGRATION);
  await inTransaction(db, (trx) => migrateWithin(trx, earlier));
  const named = { slug: 'acme', name: 'Acme', booking_prefix: 'ACME', country: 'DE' };
  [{ id: tenantId }] = await db('tenants')
    .insert({ ...named, currency: 'EUR', currency_digits: 2 })
    .returning('id');
  await add(db, tenantId, 'https://acme.example/', [
    'booking.expired',
    'hold.expired',
    'booking.payment_due',
  ]);
  tour = await givenTour(db);
  for (const date of [YESTERDAY, TOMORROW, LATER]) await givenDeparture(db, tour, { date });
  const now = instant((await db.raw('select clock_timestamp() as now')).rows[0].now);
  [windowEnd, closesAt, hourAway] = [from(now, 72 * 3_600_000), from(now, 600_000), from(now, 3_600_000)];
  await db('departures')
    .where({ tour_id: tour.id, departure_date: TOMORROW })
    .update({ closes_at: closesAt });
  await lead('A-LEFT', YESTERDAY);
  await lead('B-NEAR', TOMORROW);
  await lead('C-FAR', LATER);
  await lead('D-UNDATED', null, { departure_id: null, departure_date: null });
  await lead('E-NO-WINDOW', YESTERDAY, { payment_due_at: null });
  await lead('F-PAID', YESTERDAY, { status: 'confirmed', confirmed_at: now });
  await lead('G-LAPSED', YESTERDAY, { payment_due_at: from(now, -1) });
  await hold(YESTERDAY, { external_ref: 'left' });
  await hold(TOMORROW, { external_ref: 'near' });
  await hold(LATER, { external_ref: 'far' });
  await hold(TOMORROW, { external_ref: 'released', status: 'released', ended_at: now });
  before = await db('booking_leads').orderBy('booking_ref').select('booking_ref', 'updated_at');
  await inTransaction(db, (trx) => migrateWithin(trx, [MIGRATION]));
});
afterAll(() => database.drop());

describe('the migration that bounds holds and unpaid bookings by their departure', () => {
  it('an unpaid booking is due no later than its departure is past, and its window is kept', async () => {
    const rows = new Map((await leads()).map(({ bookingRef, ...row }) => [bookingRef, row]));
    const standing = { status: 'pending_payment', expiredAt: null };
    expect(rows.get('B-NEAR')).toEqual({
      ...standing,
      paymentDueAt: endOf(TOMORROW),
      paymentWindowEndsAt: windowEnd,
    });
    for (const ref of ['C-FAR', 'D-UNDATED'])
      expect(rows.get(ref)).toEqual({ ...standing, paymentDueAt: windowEnd, paymentWindowEndsAt: null });
    expect(rows.get('E-NO-WINDOW')).toEqual({ ...standing, paymentDueAt: null, paymentWindowEndsAt: null });
    expect(rows.get('F-PAID')).toMatchObject({ status: 'confirmed', paymentDueAt: windowEnd });
  });

  it('an unpaid booking whose departure has left has expired at that instant', async () => {
    const [left] = await leads();
    expect(left).toEqual({
      bookingRef: 'A-LEFT',
      status: 'expired',
      paymentDueAt: endOf(YESTERDAY),
      paymentWindowEndsAt: windowEnd,
      expiredAt: endOf(YESTERDAY),
    });
  });

  it('a live hold ends no later than its departure closes, and one whose departure has closed has expired', async () => {
    const rows = Object.fromEntries((await holdsOf()).map(({ externalRef, ...row }) => [externalRef, row]));
    expect(rows['near']).toEqual({ status: 'active', expiresAt: closesAt, endedAt: null });
    expect(rows['far']).toEqual({ status: 'active', expiresAt: hourAway, endedAt: null });
    expect(rows['left'].status).toBe('expired');
    expect(rows['left'].endedAt).toEqual(rows['left'].expiresAt);
    expect(rows['released']).toMatchObject({ status: 'released', expiresAt: hourAway });
  });

  it('the migration has no events, and only the bookings that it changes count as changed', async () => {
    const { db } = database;
    expect(await db('webhook_events')).toEqual([]);
    const after = await db('booking_leads').orderBy('booking_ref').select('booking_ref', 'updated_at');
    const changed = after.filter((row, n) => String(row.updatedAt) !== String(before[n]!['updatedAt']));
    expect(changed.map(({ bookingRef }) => bookingRef)).toEqual(['A-LEFT', 'B-NEAR']);
  });

  it('the triggers that count seats again are active after the migration', async () => {
    const { rows } = await database.db.raw(
      `select tgname from pg_trigger where tgname in ('seat_holds_updated', 'booking_leads_updated') and tgenabled = 'O'`,
    );
    expect(rows).toHaveLength(2);
  });

  it('a booking that an instance of the release before makes or moves has the earlier end, and keeps its window', async () => {
    const { db } = database;
    const [near, far] = [await departureOn(TOMORROW), await departureOn(LATER)];
    await lead('H-OLD', TOMORROW);
    const row = async () => (await leads()).find(({ bookingRef }) => bookingRef === 'H-OLD')!;
    expect(await row()).toMatchObject({ paymentDueAt: endOf(TOMORROW), paymentWindowEndsAt: windowEnd });
    const move = ({ id, departureDate }: { id: string; departureDate: string }) =>
      db('booking_leads')
        .where({ booking_ref: 'H-OLD' })
        .update({ departure_id: id, departure_date: departureDate });
    await move(far);
    expect(await row()).toMatchObject({ paymentDueAt: windowEnd, paymentWindowEndsAt: windowEnd });
    await move(near);
    expect(await row()).toMatchObject({ paymentDueAt: endOf(TOMORROW), paymentWindowEndsAt: windowEnd });
  });
});
