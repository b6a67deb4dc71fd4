import { startTestApi, type TestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour } from '../support/given';
import {
  endHoldIn,
  expectFaults,
  expectProblem,
  givenSeats,
  givenWebsite,
  type Seats,
  seatsTaken,
  type Website,
} from '../support/website';

let api: TestApi;
let website: Website;
beforeAll(async () => {
  api = await startTestApi();
  website = await givenWebsite(api);
});
afterAll(() => api.stop());

async function holdOf({ tour, date }: Seats, body: object = {}): Promise<string> {
  const hold = await website.hold(tour, { departure_date: date, quantity: 2, ...body });
  expect(hold.status).toBe(201);
  return hold.body.hold_id;
}

const statusOf = async (holdId: string) => (await website.get(`/api/gateway/holds/${holdId}`)).body.status;

describe('a booking that names its hold', () => {
  it('takes the date and the seats of the hold, which counts once and is converted', async () => {
    const { db } = api.context;
    const seats = await givenSeats(db, { seats: 2 });
    const hold_id = await holdOf(seats);
    const booking = await website.book({
      tour_id: seats.tour.slug,
      hold_id: hold_id.toUpperCase(),
      adults: 2,
    });
    expect(booking.status).toBe(201);
    expect(booking.body).toMatchObject({ departure_date: seats.date, adults: 2, total_price: 1000 });
    expect(await statusOf(hold_id)).toBe('converted');
    expect(await seatsTaken(db, seats)).toBe(2);
  });

  it('may say the date too, if it is the same', async () => {
    const seats = await givenSeats(api.context.db);
    const order = { tour_id: seats.tour.id, hold_id: await holdOf(seats), departure_date: seats.date };
    expect((await website.book(order)).status).toBe(201);
  });

  it('of another date or another tour is 400, and the hold lives on', async () => {
    const { db } = api.context;
    const seats = await givenSeats(db);
    const other = await givenSeats(db);
    const otherDate = await givenDeparture(db, seats.tour, { date: daysFromToday(31) });
    const hold_id = await holdOf(seats);
    const otherDay = { tour_id: seats.tour.id, hold_id, departure_date: otherDate };
    expectFaults(await website.book(otherDay), ['departure_date']);
    expectFaults(await website.book({ tour_id: other.tour.id, hold_id }), ['tour_id']);
    expect(await statusOf(hold_id)).toBe('active');
  });

  it.each(['01234567-89ab-4cde-8f01-23456789abcd', 'nonsense'])(
    '%s, which is no hold, is 404',
    async (hold_id) => {
      const { tour } = await givenSeats(api.context.db);
      expectProblem(await website.book({ tour_id: tour.id, hold_id }), 404, 'hold_not_found');
    },
  );

  it('is 409 where the hold is released, converted or expired', async () => {
    const { db } = api.context;
    const seats = await givenSeats(db);
    const book = (hold_id: string) => website.book({ tour_id: seats.tour.id, hold_id });

    const released = await holdOf(seats);
    await website.delete(`/api/gateway/holds/${released}`);
    expectProblem(await book(released), 409, 'hold_state_conflict', { hold_status: 'released' });

    const converted = await holdOf(seats);
    await book(converted);
    expectProblem(await book(converted), 409, 'hold_state_conflict', { hold_status: 'converted' });

    const expired = await holdOf(seats);
    await endHoldIn(db, expired, -1);
    expectProblem(await book(expired), 409, 'hold_expired');
    expect(await seatsTaken(db, seats)).toBe(1);
  });

  it('for more adults takes the rest from the free seats, or nothing at all', async () => {
    const { db } = api.context;
    const seats = await givenSeats(db, { seats: 5 });
    const hold_id = await holdOf(seats);
    await website.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
    const book = (adults: number) => website.book({ tour_id: seats.tour.id, hold_id, adults });
    expectProblem(await book(5), 409, 'insufficient_seats', { seats_available: 4 });
    expect([await statusOf(hold_id), await seatsTaken(db, seats)]).toEqual(['active', 3]);
    expect((await book(4)).status).toBe(201);
    expect([await statusOf(hold_id), await seatsTaken(db, seats)]).toEqual(['converted', 5]);
  });

  it('for fewer adults gives the rest back', async () => {
    const { db } = api.context;
    const seats = await givenSeats(db);
    const hold_id = await holdOf(seats, { quantity: 6 });
    expect((await website.book({ tour_id: seats.tour.id, hold_id })).body.adults).toBe(1);
    expect(await seatsTaken(db, seats)).toBe(1);
  });

  it('needs the departure still to be open', async () => {
    const { db } = api.context;
    const seats = await givenSeats(db);
    const hold_id = await holdOf(seats);
    await db('departures').where({ tour_id: seats.tour.id }).update({ status: 'cancelled' });
    expectProblem(await website.book({ tour_id: seats.tour.id, hold_id }), 409, 'departure_cancelled');
    expect(await statusOf(hold_id)).toBe('active');
  });
});

describe('the price of a hold', () => {
  it('holds for all adults of the booking, whatever the price is by then', async () => {
    const { db } = api.context;
    const acme = await givenWebsite(api);
    const seats = await givenSeats(db);
    const hold = await acme.hold(seats.tour, { departure_date: seats.date, quantity: 2 });
    await db('price_rules').insert({ tenant_id: acme.tenant.id, kind: 'percent', percent: 25 });
    await db('departures')
      .where({ tour_id: seats.tour.id })
      .update({ prices_minor: { adult: 70_000 } });

    const path = `/api/gateway/holds/${hold.body.hold_id}`;
    expect((await acme.get(path)).body).toMatchObject({ unit_price: 500, total_price: 1000 });
    const extended = await acme.post(`${path}/extend`, { hold_minutes: 30 });
    expect(extended.body).toMatchObject({ unit_price: 500, total_price: 1000 });

    const order = { tour_id: seats.tour.id, hold_id: hold.body.hold_id, adults: 3 };
    const shown = await acme.book({ ...order, expected_total: 2625 });
    expectProblem(shown, 409, 'price_changed', { total_price: 1500, currency: 'EUR' });
    const booking = await acme.book({ ...order, expected_total: 1500 });
    expect(booking.body).toMatchObject({ total_price: 1500, deposit_total: 300 });
    expect(booking.body.price_breakdown).toMatchObject({
      platform_unit_price: 500,
      unit_price: 500,
      rule: null,
    });
    expect((await acme.book({ tour_id: seats.tour.id, departure_date: seats.date })).body.total_price).toBe(
      875,
    );
  });

  it('stays in its currency, although the tour is sold in another one by then', async () => {
    const { db } = api.context;
    const seats = await givenSeats(db);
    const hold_id = await holdOf(seats);
    await db('tours').where({ id: seats.tour.id }).update({ currency: 'JPY', currency_digits: 0 });
    const booking = await website.book({ tour_id: seats.tour.id, hold_id, adults: 2, expected_total: 1000 });
    expect(booking.body).toMatchObject({ currency: 'EUR', total_price: 1000, deposit_total: 200 });
  });
});

describe('a booking with the reference of a hold', () => {
  const ref = { external_ref: 'cart-81' };

  it('consumes the one live hold of the tenant on that departure with the same reference', async () => {
    const { db } = api.context;
    const seats = await givenSeats(db, { seats: 2 });
    const hold_id = await holdOf(seats, ref);
    const { tour, date: departure_date } = seats;
    const booking = await website.book({ tour_id: tour.id, departure_date, adults: 2, ...ref });
    expect([booking.status, booking.body.external_ref]).toEqual([201, 'cart-81']);
    expect([await statusOf(hold_id), await seatsTaken(db, seats)]).toEqual(['converted', 2]);
  });

  it('consumes none where two have it', async () => {
    const { db } = api.context;
    const seats = await givenSeats(db);
    const holds = [await holdOf(seats, ref), await holdOf(seats, ref)];
    await website.book({ tour_id: seats.tour.id, departure_date: seats.date, ...ref });
    expect(await Promise.all(holds.map(statusOf))).toEqual(['active', 'active']);
    expect(await seatsTaken(db, seats)).toBe(5);
  });

  it('leaves alone what is over, another date, another reference, and holds without any', async () => {
    const { db } = api.context;
    const tour = await givenTour(db);
    const date = await givenDeparture(db, tour);
    const otherDate = await givenDeparture(db, tour, { date: daysFromToday(31) });
    const expired = await holdOf({ tour, date }, ref);
    await endHoldIn(db, expired, -1);
    const living = [
      await holdOf({ tour, date: otherDate }, ref),
      await holdOf({ tour, date }, { external_ref: 'CART-81' }),
      await holdOf({ tour, date }),
    ];
    await website.book({ tour_id: tour.id, departure_date: date, ...ref });
    await website.book({ tour_id: tour.id, departure_date: date });
    await website.book({ tour_id: tour.id, ...ref });
    expect(await Promise.all(living.map(statusOf))).toEqual(['active', 'active', 'active']);
    expect(await seatsTaken(db, { tour, date })).toBe(6);
  });

  it('counts an expired one as none, so the other one is consumed', async () => {
    const { db } = api.context;
    const seats = await givenSeats(db);
    await endHoldIn(db, await holdOf(seats, ref), -1);
    const living = await holdOf(seats, ref);
    await website.book({ tour_id: seats.tour.id, departure_date: seats.date, adults: 2, ...ref });
    expect([await statusOf(living), await seatsTaken(db, seats)]).toEqual(['converted', 2]);
  });

  it('does not look for it where a hold is named', async () => {
    const seats = await givenSeats(api.context.db);
    const named = await holdOf(seats);
    const other = await holdOf(seats, ref);
    await website.book({ tour_id: seats.tour.id, hold_id: named, ...ref });
    expect([await statusOf(named), await statusOf(other)]).toEqual(['converted', 'active']);
  });

  it('may be made again and again: references are not unique', async () => {
    const { tour, date } = await givenSeats(api.context.db);
    const order = { tour_id: tour.id, departure_date: date, ...ref };
    const [first, second] = [await website.book(order), await website.book(order)];
    expect(second.status).toBe(201);
    expect(second.body.lead_id).not.toBe(first.body.lead_id);
  });
});
