import { useTestApi } from '../support/api';
import { givenVisibilityRule } from '../support/given';
import { expectInvalidFields, expectProblem } from '../support/responses';
import { endPaymentWindow, givenSeats, givenWebsite, seatsTaken, useWebsite } from '../support/website';
import { add } from '../webhook-queue/queue-fixture';

const api = useTestApi();
const website = useWebsite(api);

const confirm = (ref: string, body?: object) => website.post(`/api/tenant/bookings/${ref}/confirm`, body);
const cancel = (ref: string) => website.post(`/api/tenant/bookings/${ref}/cancel`);
const statusOf = async (ref: string) => (await website.get(`/api/tenant/bookings/${ref}`)).body.status;

describe('confirming a booking', () => {
  it('confirming a booking answers 200 with the confirmed booking and keeps its seats', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const { body } = await website.book({ tour_id: seats.tour.id, departure_date: seats.date, adults: 2 });
    const confirmed = await confirm(body.booking_ref);
    expect(confirmed.status).toBe(200);
    expect(confirmed.headers['cache-control']).toBe('no-store');
    const times = { confirmed_at: expect.stringMatching(/Z$/), updated_at: expect.stringMatching(/Z$/) };
    expect(confirmed.body).toEqual({ ...body, status: 'confirmed', ...times });
    expect(await statusOf(body.booking_ref)).toBe('confirmed');
    expect(await seatsTaken(db, seats)).toBe(2);
  });

  it('a confirmation accepts an empty object as body, and refuses a field or another JSON value', async () => {
    const { tour } = await givenSeats(api.db);
    const { body } = await website.book({ tour_id: tour.id });
    const unknown = await confirm(body.booking_ref, { status: 'confirmed' });
    expectInvalidFields(unknown, ['status'], 'unknown_parameter');
    expectInvalidFields(await confirm(body.booking_ref, []), ['body']);
    expect((await confirm(body.booking_ref, {})).status).toBe(200);
  });

  it('a confirmed booking stays valid after its payment window', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const { body } = await website.book({ tour_id: seats.tour.id, departure_date: seats.date });
    await confirm(body.booking_ref);
    await endPaymentWindow(db, body.booking_ref);
    expect([await statusOf(body.booking_ref), await seatsTaken(db, seats)]).toEqual(['confirmed', 1]);
  });

  it('confirming an expired booking takes its seats again if they are free', async () => {
    const { db } = api;
    const seats = await givenSeats(db, { seats: 3 });
    const { body } = await website.book({ tour_id: seats.tour.id, departure_date: seats.date, adults: 3 });
    await endPaymentWindow(db, body.booking_ref);
    const hold = await website.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
    const refusal = await confirm(body.booking_ref);
    expectProblem(refusal, 409, 'insufficient_seats', { seats_available: 2, alternatives: [] });
    expect(await statusOf(body.booking_ref)).toBe('expired');

    await website.delete(`/api/gateway/holds/${hold.body.hold_id}`);
    expect((await confirm(body.booking_ref)).body).toMatchObject({ status: 'confirmed', total_price: 1500 });
    expect(await seatsTaken(db, seats)).toBe(3);
  });

  it('an expired booking of a tour that the tenant does not see is not confirmed, with or without a date', async () => {
    const { db } = api;
    const acme = await givenWebsite(api);
    const { tour, date } = await givenSeats(db);
    const refOf = async (order: object) => (await acme.book({ tour_id: tour.id, ...order })).body.booking_ref;
    const [dated, undated, pending] = [
      await refOf({ departure_date: date }),
      await refOf({}),
      await refOf({ departure_date: date }),
    ];
    const confirmByAcme = (ref: string) => acme.post(`/api/tenant/bookings/${ref}/confirm`);
    for (const ref of [dated, undated]) await endPaymentWindow(db, ref);
    await givenVisibilityRule(db, acme, tour, false);
    for (const ref of [dated, undated]) expectProblem(await confirmByAcme(ref), 404, 'tour_not_found');
    expect((await confirmByAcme(pending)).status).toBe(200);

    await db('departures').where({ tour_id: tour.id }).update({ status: 'cancelled' });
    expectProblem(await confirmByAcme(dated), 404, 'tour_not_found');
    await db('departures').where({ tour_id: tour.id }).update({ status: 'scheduled' });
    await db('visibility_tour_rules').where({ tour_id: tour.id }).delete();
    await db('tours').where({ id: tour.id }).update({ status: 'archived' });
    expectProblem(await confirmByAcme(dated), 404, 'tour_not_found');
    await db('tours').where({ id: tour.id }).update({ status: 'published' });
    for (const ref of [dated, undated]) expect((await confirmByAcme(ref)).status).toBe(200);
  });

  it("an expired booking is confirmed above the tenant's share of the departure, and without a rate of its tour", async () => {
    const { db } = api;
    const acme = await givenWebsite(api);
    const { tour, date } = await givenSeats(db, { seats: 10 });
    const expired = (await acme.book({ tour_id: tour.id, departure_date: date, adults: 5 })).body.booking_ref;
    await endPaymentWindow(db, expired);
    const missingRate = { sell_in: 'JPY', sell_in_digits: 0 };
    await db('tenants')
      .where({ id: acme.tenant.id })
      .update({ max_hold_share: 10, ...missingRate });
    const confirmed = await acme.post(`/api/tenant/bookings/${expired}/confirm`);
    expect(confirmed.body).toMatchObject({ status: 'confirmed', currency: 'EUR', total_price: 2500 });
  });

  it('the API confirms an expired booking without a date', async () => {
    const { tour } = await givenSeats(api.db);
    const { body } = await website.book({ tour_id: tour.id });
    await endPaymentWindow(api.db, body.booking_ref);
    expect((await confirm(body.booking_ref)).body).toMatchObject({
      status: 'confirmed',
      departure_date: null,
    });
  });

  it('the API refuses to confirm a booking of a cancelled departure, and an expired one of a closed departure', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db);
    const order = { tour_id: tour.id, departure_date: date };
    const pending = (await website.book(order)).body.booking_ref;
    const expired = (await website.book(order)).body.booking_ref;
    await endPaymentWindow(db, expired);
    await db('departures').where({ tour_id: tour.id }).update({ closes_at: '2020-01-01T00:00:00Z' });
    expectProblem(await confirm(expired), 409, 'departure_gone');
    await db('departures').where({ tour_id: tour.id }).update({ status: 'cancelled' });
    expectProblem(await confirm(pending), 409, 'departure_cancelled');
    await db('departures').where({ tour_id: tour.id }).update({ status: 'scheduled' });
    expect((await confirm(pending)).status).toBe(200);
  });

  it('confirming a confirmed booking answers 200 and changes nothing, even on a cancelled departure', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db);
    const { booking_ref } = (await website.book({ tour_id: tour.id, departure_date: date })).body;
    const first = await confirm(booking_ref);
    await db('departures').where({ tour_id: tour.id }).update({ status: 'cancelled' });
    const row = () => db('booking_leads').where({ booking_ref }).first();
    const before = await row();
    const second = await confirm(booking_ref);
    const cancellation = { refund_percent: 100, refund_amount: 500, next_change_at: null };
    const changed = { departure_status: 'cancelled', cancellation, updated_at: expect.any(String) };
    expect([second.status, second.body]).toEqual([200, { ...first.body, ...changed }]);
    expect(await row()).toEqual(before);
  });

  it('confirming a cancelled booking answers 409 booking_state_conflict', async () => {
    const { tour } = await givenSeats(api.db);
    const ref = (await website.book({ tour_id: tour.id })).body.booking_ref;
    await cancel(ref);
    expectProblem(await confirm(ref), 409, 'booking_state_conflict', { booking_status: 'cancelled' });
  });

  it.each(['ACME-1', 'acme-1042', 'ACME-01', 'ACME-999999999999999999999', 'nonsense', '%00'])(
    'confirm, cancel and GET answer 404 for the unknown reference %s',
    async (ref) => {
      const read = await website.get(`/api/tenant/bookings/${ref}`);
      for (const answer of [await confirm(ref), await cancel(ref), read])
        expectProblem(answer, 404, 'booking_not_found');
    },
  );

  it('repeated confirmations and cancellations send one event each', async () => {
    const { db } = api;
    const acme = await givenWebsite(api);
    const events = ['booking.confirmed', 'booking.cancelled'];
    await add(db, acme.tenant.id, 'https://acme.example/hook', events);
    const { tour } = await givenSeats(db);
    const { booking_ref } = (await acme.book({ tour_id: tour.id })).body;
    for (const step of ['confirm', 'confirm', 'cancel', 'cancel'])
      await acme.post(`/api/tenant/bookings/${booking_ref}/${step}`);
    const types = await db('webhook_events').where({ booking_ref }).orderBy('id').pluck('type');
    expect(types).toEqual(['booking.created', 'booking.confirmed', 'booking.cancelled']);
  });
});
