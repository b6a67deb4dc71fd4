import { useTestApi } from '../support/api';
import { expectProblem } from '../support/responses';
import { endHoldIn, givenSeats, seatsTaken, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

const release = (holdId: string) => website.delete(`/api/gateway/holds/${holdId}`);
const read = (holdId: string) => website.get(`/api/gateway/holds/${holdId}`);

describe('releasing a hold', () => {
  it('a release answers 204 without a body and frees the seats of the hold at once', async () => {
    const { tour, date } = await givenSeats(api.db, { seats: 4 });
    const all = { departure_date: date, quantity: 4 };
    const hold = await website.hold(tour, all);
    expectProblem(await website.hold(tour, all), 409, 'insufficient_seats', { seats_available: 0 });

    const released = await release(hold.body.hold_id);
    expect([released.status, released.text]).toEqual([204, '']);
    expect(released.headers['cache-control']).toBe('no-store');
    expect((await read(hold.body.hold_id)).body).toMatchObject({ status: 'released', seats_available: 4 });
    expect((await website.hold(tour, all)).status).toBe(201);
  });

  it('the API refuses a release whose body has a field', async () => {
    const { tour, date } = await givenSeats(api.db);
    const { hold_id } = (await website.hold(tour, { departure_date: date, quantity: 1 })).body;
    const refused = await api.http
      .delete(`/api/gateway/holds/${hold_id}`)
      .set({ authorization: website.authorization })
      .send({ x: 1 });
    expectProblem(refused, 400, 'unknown_parameter');
    expect((await read(hold_id)).body.status).toBe('active');
  });

  it('the next availability check shows the freed seats, although a count was cached', async () => {
    const { tour, date } = await givenSeats(api.db, { seats: 4 });
    const check = async () =>
      (await website.get(`/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`)).body
        .seats_available;
    const hold = await website.hold(tour, { departure_date: date, quantity: 3 });
    expect(await check()).toBe(1);
    await release(hold.body.hold_id);
    expect(await check()).toBe(4);
  });

  it('the API answers 204 to a second release of the same hold', async () => {
    const { tour, date } = await givenSeats(api.db);
    const hold = await website.hold(tour, { departure_date: date, quantity: 1 });
    await release(hold.body.hold_id);
    expect((await release(hold.body.hold_id)).status).toBe(204);
  });

  it('the API answers 204 to the release of an expired hold, which stays expired', async () => {
    const { tour, date } = await givenSeats(api.db);
    const late = await website.hold(tour, { departure_date: date, quantity: 1 });
    await endHoldIn(api.db, late.body.hold_id, -1);
    expect((await release(late.body.hold_id)).status).toBe(204);
    expect((await read(late.body.hold_id)).body.status).toBe('expired');
  });

  it('the API answers 409 to the release of a hold that became a booking, and the booking keeps its seats', async () => {
    const { tour, date } = await givenSeats(api.db);
    const hold = await website.hold(tour, { departure_date: date, quantity: 2 });
    await website.book({ tour_id: tour.id, hold_id: hold.body.hold_id, adults: 2 });
    expectProblem(await release(hold.body.hold_id), 409, 'hold_state_conflict');
    expect((await read(hold.body.hold_id)).body.status).toBe('converted');
    expect(await seatsTaken(api.db, { tour, date })).toBe(2);
  });

  it.each(['01234567-89ab-4cde-8f01-23456789abcd', 'nonsense', '%00'])(
    'the API answers 404 to the release of the unknown hold id %s',
    async (id) => {
      expectProblem(await release(id), 404, 'hold_not_found');
      expectProblem(await read(id), 404, 'hold_not_found');
    },
  );
});

describe('an expired hold', () => {
  it('a hold frees its seats at the instant of its expiry, before any sweep', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db, { seats: 2 });
    const both = { departure_date: date, quantity: 2 };
    const hold = await website.hold(tour, both);
    await endHoldIn(db, hold.body.hold_id, 400);
    expectProblem(await website.hold(tour, both), 409, 'insufficient_seats', { seats_available: 0 });
    expect((await read(hold.body.hold_id)).body.status).toBe('active');

    await new Promise((resolve) => setTimeout(resolve, 450));
    expect((await read(hold.body.hold_id)).body).toMatchObject({ status: 'expired', seats_available: 2 });
    expect((await website.hold(tour, both)).status).toBe(201);
    expect((await read(hold.body.hold_id)).body.status).toBe('expired');
  });

  it('an expired hold whose seats were sold stays expired, even if the clock goes back', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db, { seats: 1 });
    const one = { departure_date: date, quantity: 1 };
    const first = await website.hold(tour, one);
    await endHoldIn(db, first.body.hold_id, -1);
    await website.hold(tour, one);
    expect(await db('seat_holds').where({ id: first.body.hold_id }).first('status')).toEqual({
      status: 'expired',
    });
    await endHoldIn(db, first.body.hold_id, 60_000);
    expect((await read(first.body.hold_id)).body.status).toBe('expired');
    expect(await seatsTaken(db, { tour, date })).toBe(1);
  });
});
