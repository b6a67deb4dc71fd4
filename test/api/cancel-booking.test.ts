import { useTestApi } from '../support/api';
import { expectInvalidFields, expectProblem } from '../support/responses';
import { endPaymentWindow, givenSeats, seatsTaken, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

const step = (ref: string, name: 'confirm' | 'cancel', body?: object) =>
  website.post(`/api/tenant/bookings/${ref}/${name}`, body);

describe('cancelling a booking', () => {
  it.each(['pending', 'confirmed'])(
    'cancelling a %s booking answers 200 with the booking and gives its seats back',
    async (state) => {
      const { db } = api;
      const seats = await givenSeats(db, { seats: 2 });
      const order = { tour_id: seats.tour.id, departure_date: seats.date, adults: 2 };
      const { body } = await website.book(order);
      if (state === 'confirmed') await step(body.booking_ref, 'confirm');
      const { confirmed_at } = (await website.get(`/api/tenant/bookings/${body.booking_ref}`)).body;
      expect(confirmed_at === null).toBe(state === 'pending');
      const cancelled = await step(body.booking_ref, 'cancel');
      expect(cancelled.status).toBe(200);
      expect(cancelled.headers['cache-control']).toBe('no-store');
      const times = { cancelled_at: expect.stringMatching(/Z$/), updated_at: expect.stringMatching(/Z$/) };
      expect(cancelled.body).toEqual({ ...body, status: 'cancelled', confirmed_at, ...times });
      expect(cancelled.body.updated_at > body.updated_at).toBe(true);
      expect(await seatsTaken(db, seats)).toBe(0);
      expect((await website.book(order)).status).toBe(201);
    },
  );

  it('the API cancels a booking without a date, and a booking on a cancelled departure', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db);
    const dateless = (await website.book({ tour_id: tour.id })).body.booking_ref;
    const dated = (await website.book({ tour_id: tour.id, departure_date: date })).body.booking_ref;
    await db('departures').where({ tour_id: tour.id }).update({ status: 'cancelled' });
    expect((await step(dateless, 'cancel')).body.status).toBe('cancelled');
    expect((await step(dated, 'cancel')).body.status).toBe('cancelled');
  });

  it('cancelling a cancelled booking answers 200 with the unchanged booking', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db);
    const { booking_ref } = (await website.book({ tour_id: tour.id, departure_date: date })).body;
    const first = await step(booking_ref, 'cancel');
    const row = () => db('booking_leads').where({ booking_ref }).first();
    const before = await row();
    const second = await step(booking_ref, 'cancel');
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await row()).toEqual(before);
  });

  it('the API refuses a reason that is empty, too long or no text, and an unknown field', async () => {
    const { tour } = await givenSeats(api.db);
    const { booking_ref } = (await website.book({ tour_id: tour.id })).body;
    for (const reason of ['', 'x'.repeat(501), 5])
      expectInvalidFields(await step(booking_ref, 'cancel', { reason }), ['reason']);
    expectInvalidFields(await step(booking_ref, 'cancel', { why: 'ill' }), ['why'], 'unknown_parameter');
  });

  it('the API keeps the reason of the first cancellation', async () => {
    const { tour } = await givenSeats(api.db);
    const { booking_ref } = (await website.book({ tour_id: tour.id })).body;
    for (const reason of ['The customer is ill.', 'Another one.']) {
      const { body } = await step(booking_ref, 'cancel', { reason });
      expect(body.cancel_reason).toBe('The customer is ill.');
    }
  });

  it('cancelling an expired booking answers 409 booking_state_conflict', async () => {
    const { db } = api;
    const { tour } = await givenSeats(db);
    const expired = (await website.book({ tour_id: tour.id })).body.booking_ref;
    await endPaymentWindow(db, expired);
    expectProblem(await step(expired, 'cancel'), 409, 'booking_state_conflict', {
      booking_status: 'expired',
    });
  });

  it('cancelling a booking does not make its hold active again', async () => {
    const { tour, date } = await givenSeats(api.db);
    const { hold_id } = (await website.hold(tour, { departure_date: date, quantity: 2 })).body;
    const { booking_ref } = (await website.book({ tour_id: tour.id, hold_id, adults: 2 })).body;
    await step(booking_ref, 'cancel');
    const hold = await website.get(`/api/gateway/holds/${hold_id}`);
    expect(hold.body).toMatchObject({ status: 'converted', seats_available: 10 });
    expectProblem(await website.book({ tour_id: tour.id, hold_id }), 409, 'hold_state_conflict');
  });
});
