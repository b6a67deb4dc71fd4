import { useTestApi } from '../support/api';
import { givenVisibilityRule } from '../support/given';
import { expectInvalidFields, expectProblem } from '../support/responses';
import { endHoldIn, givenSeats, givenWebsite, type Seats, seatsTaken, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);
let seats: Seats;
beforeAll(async () => {
  seats = await givenSeats(api.db, { seats: 200 });
});

async function givenHold(body: object = {}) {
  const hold = await website.hold(seats.tour, { departure_date: seats.date, quantity: 1, ...body });
  expect(hold.status).toBe(201);
  return hold.body;
}

const extend = (holdId: string, hold_minutes: unknown) =>
  website.post(`/api/gateway/holds/${holdId}/extend`, { hold_minutes });

/** Moves the start of the hold `minutes` minutes into the past. */
async function age(holdId: string, minutes: number): Promise<void> {
  const { db } = api;
  await db.raw(
    `update seat_holds set created_at = created_at - make_interval(mins => :minutes),
       expires_at = greatest(expires_at - make_interval(mins => :minutes), clock_timestamp() + interval '1 minute')
     where id = :holdId`,
    { holdId, minutes },
  );
}

describe('extending a hold', () => {
  it('an extended hold ends the requested number of minutes after the request', async () => {
    const hold = await givenHold({ external_ref: 'cart-7', hold_minutes: 5 });
    await age(hold.hold_id, 3);
    const before = Date.now();
    const extended = await extend(hold.hold_id, 30);
    const after = Date.now();
    expect(extended.status).toBe(200);
    expect(extended.headers['cache-control']).toBe('no-store');
    expect(Object.keys(extended.body)).toEqual(Object.keys(hold));
    expect(extended.body).toMatchObject({ hold_id: hold.hold_id, status: 'active', hold_minutes: 30 });
    const extendedAt = Date.parse(extended.body.expires_at) - 30 * 60_000;
    expect(extendedAt).toBeGreaterThanOrEqual(before - 1);
    expect(extendedAt).toBeLessThanOrEqual(after + 1);
    expect((await website.get(`/api/gateway/holds/${hold.hold_id}`)).text).toBe(extended.text);
  });

  it('an extension by fewer minutes than remain does not shorten the hold', async () => {
    const hold = await givenHold({ hold_minutes: 40 });
    const extended = await extend(hold.hold_id, 1);
    expect(extended.status).toBe(200);
    expect(extended.body).toEqual(hold);
  });

  it('the API extends a hold to at most 120 minutes in total', async () => {
    const hold = await givenHold();
    await age(hold.hold_id, 100);
    expectInvalidFields(await extend(hold.hold_id, 21), ['hold_minutes']);
    expect((await extend(hold.hold_id, 19)).body).toMatchObject({ status: 'active', hold_minutes: 19 });
  });

  it.each([0, 61, 1.5, '10', null, undefined])(
    'the API refuses an extension by %j minutes',
    async (minutes) => {
      const hold = await givenHold();
      expectInvalidFields(await extend(hold.hold_id, minutes), ['hold_minutes']);
    },
  );

  it("the API refuses an extension of a hold by more minutes than the tenant's own maximum", async () => {
    const strict = await givenWebsite(api, { holdMaxMinutes: 10 });
    const hold = await strict.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
    const path = `/api/gateway/holds/${hold.body.hold_id}/extend`;
    expectInvalidFields(await strict.post(path, { hold_minutes: 11 }), ['hold_minutes']);
    expect((await strict.post(path, { hold_minutes: 10 })).status).toBe(200);
  });

  it('an extension does not make an expired hold active again', async () => {
    const hold = await givenHold();
    await endHoldIn(api.db, hold.hold_id, -1);
    const taken = await seatsTaken(api.db, seats);
    expectProblem(await extend(hold.hold_id, 10), 409, 'hold_expired');
    expect(await seatsTaken(api.db, seats)).toBe(taken);
  });

  it('the API refuses to extend a hold that was released or became a booking', async () => {
    const released = await givenHold();
    await website.delete(`/api/gateway/holds/${released.hold_id}`);
    expectProblem(await extend(released.hold_id, 10), 409, 'hold_state_conflict');

    const converted = await givenHold();
    await website.book({ tour_id: seats.tour.id, hold_id: converted.hold_id });
    expectProblem(await extend(converted.hold_id, 10), 409, 'hold_state_conflict');
  });

  it.each(['01234567-89ab-4cde-8f01-23456789abcd', 'nonsense', '%00'])(
    'the API answers 404 to an extension of the unknown hold id %s',
    async (id) => {
      expectProblem(await extend(id, 10), 404, 'hold_not_found');
    },
  );
});

describe('a hold that cannot be booked any more', () => {
  /** Creates a departure of its own, places a hold on it, and returns a request that extends the hold. */
  async function givenHoldToExtend() {
    const own = await givenSeats(api.db);
    const { body } = await website.hold(own.tour, {
      departure_date: own.date,
      quantity: 10,
      hold_minutes: 5,
    });
    const change = (departure: object) =>
      api.db('departures').where({ id: own.departureId }).update(departure);
    return { own, change, hold: body, extendIt: () => extend(body.hold_id, 30) };
  }

  it('a hold of all seats is extended', async () => {
    const { extendIt } = await givenHoldToExtend();
    expect((await extendIt()).body).toMatchObject({ status: 'active', hold_minutes: 30, seats_available: 0 });
  });

  it('a hold of a cancelled departure is not extended', async () => {
    const { change, hold, extendIt } = await givenHoldToExtend();
    await change({ status: 'cancelled' });
    expectProblem(await extendIt(), 409, 'departure_cancelled', { alternatives: [] });
    const read = await website.get(`/api/gateway/holds/${hold.hold_id}`);
    expect(read.body.expires_at).toBe(hold.expires_at);
  });

  it('a hold of a closed or past departure is not extended', async () => {
    const { change, extendIt } = await givenHoldToExtend();
    await change({ closes_at: '2020-01-01T00:00:00Z' });
    expectProblem(await extendIt(), 409, 'departure_gone', { alternatives: [] });
    await change({ closes_at: null, departure_date: '2020-01-01' });
    expectProblem(await extendIt(), 409, 'departure_gone', { alternatives: [] });
  });

  it('a hold of a tour that the tenant does not see is not extended, whatever the state of the hold', async () => {
    const { own, change, hold, extendIt } = await givenHoldToExtend();
    await givenVisibilityRule(api.db, website, own.tour, false);
    expectProblem(await extendIt(), 404, 'tour_not_found');
    await change({ status: 'cancelled' });
    expectProblem(await extendIt(), 404, 'tour_not_found');
    await endHoldIn(api.db, hold.hold_id, -1);
    expectProblem(await extendIt(), 404, 'tour_not_found');
  });

  it('a hold of an archived tour is not extended', async () => {
    const { own, extendIt } = await givenHoldToExtend();
    await api.db('tours').where({ id: own.tour.id }).update({ status: 'archived' });
    expectProblem(await extendIt(), 404, 'tour_not_found');
  });

  it('a hold of a tour whose rate is missing is extended, because its prices are locked', async () => {
    const { extendIt } = await givenHoldToExtend();
    const { id } = website.tenant;
    await api.db('tenants').where({ id }).update({ sell_in: 'JPY', sell_in_digits: 0 });
    const extended = await extendIt();
    await api.db('tenants').where({ id }).update({ sell_in: null, sell_in_digits: null });
    expect([extended.status, extended.body.currency]).toEqual([200, 'EUR']);
  });
});
