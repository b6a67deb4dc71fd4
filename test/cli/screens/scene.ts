import { confirmBooking } from '../../../services/api/seats/changes/confirm-booking';
import { change } from '../../support/change';
import { createBooking, placeHold } from '../../support/sell';
import { findTenant } from '../../../services/api/tenants/manage-tenants';
import { inTransaction, type Db } from '../../../services/platform/database/database';
import { daysFromToday, givenDeparture, givenTour } from '../../support/given';
import { tellDeliveries } from './scene-deliveries';
import { givenSalesOfTwoWeeks } from './scene-sales';

/** Creates the data of the guide's screens: three tenants, seven tours, and their sales of the last days. */

type Tourctl = (line: string) => Promise<void>;

const TOURS = [
  ['lofoten-by-sail', 'Lofoten by sail', 'europe', 'EUR', 149_000, 10],
  ['dolomites-hut-to-hut', 'Dolomites, hut to hut', 'europe', 'EUR', 98_000, 14],
  ['kyoto-in-autumn', 'Kyoto in autumn', 'asia', 'EUR', 118_000, 16],
  ['tokyo-by-night', '東京の夜', 'asia', 'JPY', 24_000, 12],
  ['atlas-on-foot', 'Atlas on foot', 'africa', 'EUR', 72_000, 12],
  ['riviera-by-bike', 'Riviera by bike', 'europe', 'EUR', 64_000, 60],
] as const;
/** Days from today to the departures of each tour. */
const DEPARTURES = [30, 44, 58, 72];

export async function setScene(db: Db, tourctl: Tourctl): Promise<void> {
  await givenTours(db);
  await givenTenants(db, tourctl);
  await givenSalesOfTwoWeeks(db);
  await givenBookings(db);
  await db('audit_log').update({ at: daysAgo(db, 30) });
  // A running webhook queue. The time of its last heartbeat is in the future, so that the queue still counts as running when all screens
  // are done.
  const beat_at = db.raw(`now() + interval '1 hour'`);
  await db('webhook_workers').insert({ id: 'queue-1', slots: 64, in_flight: 0, beat_at });
}

async function givenTours(db: Db): Promise<void> {
  for (const [slug, name, continent, currency, basePriceMinor, seats] of TOURS) {
    const tour = await givenTour(db, { slug, name, continent, currency, basePriceMinor });
    for (const days of DEPARTURES) {
      const prices = { adult: basePriceMinor };
      await givenDeparture(db, tour, { date: daysFromToday(days), seats, prices });
    }
  }
  await givenTour(db, { slug: 'serengeti-on-safari', name: 'Serengeti on safari', status: 'draft' });
}

async function givenTenants(db: Db, tourctl: Tourctl): Promise<void> {
  for (const line of [
    'tenant create --slug acme --name "Acme Travel" --status active --country CH --currency EUR --visibility none',
    'tenant create --slug kanto --name 関東ツアー --country JP --currency JPY',
    'tenant create --slug riviera --name "Riviera Reisen" --status active --booking-prefix RIV',
    'visibility allow acme --continent europe',
    'visibility deny acme --tour dolomites-hut-to-hut',
    'pricing add acme --percent 12.5 --round-to 5',
    'pricing add acme --percent 8 --continent europe',
    `pricing add acme --price 1390 --tour lofoten-by-sail --travel-from ${daysFromToday(50)}`,
    'origins add acme https://acme.example https://www.acme.example',
    'key issue acme --scope catalog:read --scope booking:create --name "web shop" --website acme.example',
    'key issue acme --scope catalog:read --name newsletter --expires-in 10d',
    'key issue riviera --scope catalog:read --website riviera.example',
    'widget issue acme',
    'webhook add acme https://acme.example/webhooks --event booking.created --event booking.confirmed',
    'webhook add acme https://crm.acme.example/in --format thin',
  ]) {
    await tourctl(line);
  }
  await db('tenants').update({ created_at: daysAgo(db, 90) });
  await db('api_keys').update({ last_used_at: daysAgo(db, 0) });
  await db('api_keys').where({ name: 'newsletter' }).update({ last_used_at: null });
  await db('api_keys')
    .where({ website: 'riviera.example' })
    .update({ browser_seen_at: daysAgo(db, 1) });
  for (const table of ['api_keys', 'widget_tokens', 'webhook_endpoints', 'webhook_secrets'])
    await db(table).update({ created_at: db.raw(`created_at - interval '30 days'`) });
}

const ANA = { name: 'Ana Lima', phone: '+4930901820', email: 'ana.lima@example.com' };
const JUN = { name: 'Jun Mori', phone: '+81312345678', email: 'jun.mori@example.com' };

/** Creates the paid booking ACME-1042, the unpaid ACME-1043, and a hold of another customer. */
async function givenBookings(db: Db): Promise<void> {
  const acme = await findTenant(db, 'acme');
  const key = await db('api_keys').where({ name: 'web shop' }).first('id');
  const by = `key ${key.id}`;
  const wanted = { tour: 'lofoten-by-sail', departureDate: daysFromToday(30), by };
  const hold = (request: object) =>
    inTransaction(db, (trx) =>
      placeHold(trx, acme, {
        ...wanted,
        party: { party: { adult: 2 } },
        holdMinutes: undefined,
        externalRef: null,
        customer: ANA,
        ...request,
      }),
    );
  const book = (request: object) => {
    const rest = { paymentMethod: null, holdId: null, expectedTotal: null, externalRef: null, notes: null };
    return inTransaction(db, (trx) =>
      createBooking(trx, acme, {
        ...wanted,
        ...rest,
        party: { party: { adult: 2 } },
        travellers: null,
        customer: ANA,
        ...request,
      }),
    );
  };
  const held = await hold({ externalRef: 'cart-81' });
  const first = await book({ holdId: held.id, externalRef: 'order-81' });
  await inTransaction(db, (trx) => change(trx, acme, confirmBooking, { bookingRef: first.bookingRef, by }));
  await book({ externalRef: 'order-82', customer: JUN, notes: 'Vegetarian' });
  await hold({
    externalRef: 'cart-83',
    party: { party: { adult: 4 } },
    customer: { name: null, phone: null, email: null },
  });
  await db.raw(
    `update seat_holds set created_at = now() - interval '2 days', ended_at = now() - interval '2 days' + interval '10 minutes',
       expires_at = now() - interval '2 days' + interval '15 minutes' where id = ?`,
    [held.id],
  );
  await db.raw(
    `update booking_leads set created_at = now() - interval '2 days' + interval '10 minutes',
       confirmed_at = now() - interval '1 day', payment_due_at = now() + interval '1 day' + interval '10 minutes' where booking_ref = ?`,
    [first.bookingRef],
  );
  await givenRefusals(db, acme.id, wanted.departureDate);
  await tellDeliveries(db);
}

async function givenRefusals(db: Db, tenantId: string, date: string): Promise<void> {
  const tour = await db('tours').where({ slug: 'lofoten-by-sail' }).first('id');
  const refused = { tenant_id: tenantId, tour_id: tour.id, departure_date: date };
  await db('sale_refusals').insert([
    {
      ...refused,
      at: db.raw(`now() - interval '3 hours'`),
      operation: 'booking.create',
      code: 'insufficient_seats',
      request_id: 'req-4f1d',
      quantity: 8,
      seats_available: 4,
      external_ref: 'order-80',
    },
    {
      ...refused,
      at: db.raw(`now() - interval '2 hours'`),
      operation: 'booking.create',
      code: 'price_changed',
      request_id: 'req-77c0',
      quantity: 2,
      external_ref: 'order-82',
    },
  ]);
}

function daysAgo(db: Db, days: number) {
  return db.raw(`now() - make_interval(days => ?)`, [days]);
}
