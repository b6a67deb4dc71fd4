import type { Knex } from 'knex';
import { startTestApi, type TestApi } from '../support/api';
import { sweep } from '../support/sweep';
import { endHoldIn, endPaymentWindow, givenSeats, givenWebsite, type Website } from '../support/website';

let api: TestApi;
let site: Website;
let lock: Knex.Transaction;
beforeAll(async () => {
  api = await startTestApi();
  site = await givenWebsite(api);
});
afterAll(async () => {
  await lock.rollback();
  await api.stop();
});

describe('selling during a change of the catalog', () => {
  it('holds, bookings and sweeps do not wait for the locks of a catalog change', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db);
    lock = await db.transaction();
    await lock.raw('lock table change_version, change_marks, api_instances in access exclusive mode');
    const history = 'catalog_commits, tour_changes, tenant_changes, tour_publications, visibility_periods';
    await lock.raw(`lock table ${history} in exclusive mode`);

    const holdIt = async (quantity = 1) =>
      (await site.hold(tour, { departure_date: date, quantity })).body.hold_id as string;
    const bookIt = async (body: object = {}) =>
      site.book({ tour_id: tour.id, departure_date: date, ...body });

    const held = await holdIt();
    const extended = await site.post(`/api/gateway/holds/${held}/extend`, { hold_minutes: 30 });
    const booked = await bookIt({ hold_id: held });
    const released = await site.delete(`/api/gateway/holds/${await holdIt()}`);
    const ref = booked.body.booking_ref as string;
    const confirmed = await site.post(`/api/tenant/bookings/${ref}/confirm`);
    const cancelled = await site.post(`/api/tenant/bookings/${ref}/cancel`);
    expect([extended, booked, released, confirmed, cancelled].map(({ status }) => status)).toEqual([
      200, 201, 204, 200, 200,
    ]);

    await endHoldIn(db, await holdIt(), -1);
    await endPaymentWindow(db, (await bookIt()).body.booking_ref as string);
    await sweep(db);
    expect((await db('seat_holds').where({ status: 'expired' })).length).toBe(1);
    expect((await db('booking_leads').where({ status: 'expired' })).length).toBe(1);
  });
});
