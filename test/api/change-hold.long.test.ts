import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenVisibilityRule, type GivenTour } from '../support/given';
import { expectInvalidFields, expectProblem } from '../support/responses';
import { endHoldIn, givenSeats, givenWebsite, type Seats, seatsTaken, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

async function givenHold({ tour, date }: Seats, body: object = {}) {
  const hold = await website.hold(tour, { departure_date: date, quantity: 2, ...body });
  expect(hold.status).toBe(201);
  return hold.body;
}

const change = (holdId: string, body: object, headers?: Record<string, string>) =>
  website.patch(`/api/gateway/holds/${holdId}`, body, headers);

/** Creates another departure of the tour, 31 days from today. */
async function givenOther(tour: GivenTour, departure: object = {}): Promise<Seats> {
  return { tour, date: await givenDeparture(api.db, tour, { date: daysFromToday(31), ...departure }) };
}

const setPrices = (tour: GivenTour, prices: object) =>
  api
    .db('departures')
    .where({ tour_id: tour.id })
    .update({ prices_minor: JSON.stringify(prices) });

describe('a change of a hold on its departure', () => {
  it('a change of the quantity of a hold takes or frees seats at the locked price', async () => {
    const seats = await givenSeats(api.db, { seats: 5 });
    const hold = await givenHold(seats);
    await setPrices(seats.tour, { adult: 90_000 });
    const grown = await change(hold.hold_id, { quantity: 5 });
    expect(grown.status).toBe(200);
    expect(grown.headers['cache-control']).toBe('no-store');
    expect(grown.body).toEqual({
      ...hold,
      quantity: 5,
      adults: 5,
      party: { adult: 5 },
      seats_available: 0,
      total_price: 2_500,
    });
    expect((await website.get(`/api/gateway/holds/${hold.hold_id}`)).text).toBe(grown.text);
    expect(await seatsTaken(api.db, seats)).toBe(5);
    const shrunk = await change(hold.hold_id, { quantity: 1 });
    expect(shrunk.body).toEqual({
      ...hold,
      quantity: 1,
      adults: 1,
      party: { adult: 1 },
      seats_available: 4,
      total_price: 500,
    });
    expect(await seatsTaken(api.db, seats)).toBe(1);
  });

  it('the API refuses more seats for a hold than are free, and leaves the hold as it was', async () => {
    const seats = await givenSeats(api.db, { seats: 5 });
    const hold = await givenHold(seats);
    await givenHold(seats);
    const refusal = await change(hold.hold_id, { quantity: 4, external_ref: 'cart-9' });
    expectProblem(refusal, 409, 'insufficient_seats', { seats_available: 3 });
    expect((await website.get(`/api/gateway/holds/${hold.hold_id}`)).body).toMatchObject({
      quantity: 2,
      external_ref: null,
    });
  });

  it.each([
    [{ quantity: 5 }, [3, 2]],
    [{ adults: 1 }, [1, 2]],
    [{ children: 0 }, [2, 0]],
    [{ quantity: 4, children: 1 }, [3, 1]],
    [{ quantity: 3, adults: 1 }, [1, 2]],
    [{ adults: 3, children: 3 }, [3, 3]],
    [{ quantity: 2, adults: 0, children: 2 }, [0, 2]],
  ])(
    'a change of two adults and two children to %j results in [adults, children] %j',
    async (body, [adults, children]) => {
      const seats = await givenSeats(api.db, { prices: { adult: 50_000, child: 30_000 } });
      const hold = await givenHold(seats, { quantity: 4, children: 2 });
      const { body: changed } = await change(hold.hold_id, body);
      expect(changed).toMatchObject({
        adults,
        children,
        quantity: adults! + children!,
        total_price: adults! * 500 + children! * 300,
      });
      expect(await seatsTaken(api.db, seats)).toBe(adults! + children!);
    },
  );

  it.each([
    [{}, ['body']],
    [{ quantity: 0 }, ['quantity']],
    [{ quantity: 51 }, ['quantity']],
    [{ quantity: 1 }, ['quantity']],
    [{ quantity: 4, adults: 1 }, ['quantity']],
    [{ customer: {} }, ['customer']],
    [{ quantity: 5, adults: 1, children: 1 }, ['quantity']],
    [{ adults: 0, children: 0 }, ['adults']],
    [{ adults: 30, children: 30 }, ['adults']],
    ...['quantity', 'adults', 'children', 'departure_date', 'external_ref', 'customer'].map(
      (field): [object, string[]] => [{ [field]: null }, [field]],
    ),
    ...['name', 'phone', 'email'].map((field): [object, string[]] => [
      { customer: { [field]: null } },
      [`customer.${field}`],
    ]),
    [{ departure_date: '2027-02-30' }, ['departure_date']],
    [{ customer: { email: 'nobody' } }, ['customer.email']],
  ])('the API refuses to change a hold to %j', async (body, fields) => {
    const seats = await givenSeats(api.db, { seats: 80, prices: { adult: 50_000, child: 30_000 } });
    const hold = await givenHold(seats, { quantity: 4, children: 2 });
    expectInvalidFields(await change(hold.hold_id, body), fields);
  });

  it('the API refuses to add a category to a hold that did not lock a price for this category', async () => {
    const seats = await givenSeats(api.db);
    const hold = await givenHold(seats);
    await setPrices(seats.tour, { adult: 50_000, child: 30_000 });
    expectInvalidFields(await change(hold.hold_id, { children: 1 }), ['children']);
  });

  it('a hold on a closed or cancelled departure may give seats back but takes none', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const hold = await givenHold(seats);
    await db('departures').where({ tour_id: seats.tour.id }).update({ closes_at: db.fn.now() });
    expectProblem(await change(hold.hold_id, { quantity: 3 }), 409, 'departure_gone');
    expect((await change(hold.hold_id, { quantity: 1 })).status).toBe(200);
    await db('departures').where({ tour_id: seats.tour.id }).update({ status: 'cancelled' });
    expectProblem(await change(hold.hold_id, { quantity: 2 }), 409, 'departure_cancelled');
    expect((await change(hold.hold_id, { external_ref: 'cart-81' })).body.external_ref).toBe('cart-81');
  });

  it('a change of a hold can replace single fields of its customer and add a reference', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const hold = await givenHold(seats, { customer: { name: 'Ana Lima', email: 'ana@example.com' } });
    const changed = await change(hold.hold_id, {
      external_ref: 'cart-82',
      customer: { phone: '030 901820', name: 'Rui' },
    });
    expect(changed.body).toEqual({ ...hold, external_ref: 'cart-82' });
    expect(await db('seat_holds').where({ id: hold.hold_id }).first()).toMatchObject({
      customerName: 'Rui',
      customerPhone: '+4930901820',
      customerEmail: 'ana@example.com',
    });
    const order = { tour_id: seats.tour.id, departure_date: seats.date, adults: 2, external_ref: 'cart-82' };
    expect((await website.book(order)).status).toBe(201);
    expect(await seatsTaken(db, seats)).toBe(2);
  });
});

describe('a change of a hold to another date', () => {
  it('a change to another date moves the seats of a hold, locks the prices of the new date, and keeps the end of the hold', async () => {
    const seats = await givenSeats(api.db, { seats: 4 });
    const other = await givenOther(seats.tour, { seats: 3, prices: { adult: 60_000, child: 40_000 } });
    const hold = await givenHold(seats);
    const moved = await change(hold.hold_id, { departure_date: other.date, quantity: 3, children: 1 });
    expect(moved.body).toEqual({
      ...hold,
      departure_date: other.date,
      quantity: 3,
      adults: 2,
      children: 1,
      party: { adult: 2, child: 1 },
      seats_available: 0,
      unit_price: 600,
      total_price: 1_600,
      prices: { adult: 600, child: 400 },
    });
    expect([await seatsTaken(api.db, seats), await seatsTaken(api.db, other)]).toEqual([0, 3]);
    const booking = await website.book({ tour_id: seats.tour.id, hold_id: hold.hold_id, adults: 3 });
    expect(booking.body).toMatchObject({ departure_date: other.date, total_price: 1_800 });
  });

  it('the API refuses a move when too few seats are free, and the hold keeps its old seats', async () => {
    const seats = await givenSeats(api.db, { seats: 4 });
    const other = await givenOther(seats.tour, { seats: 1 });
    const hold = await givenHold(seats);
    expectProblem(await change(hold.hold_id, { departure_date: other.date }), 409, 'insufficient_seats', {
      seats_available: 1,
      alternatives: [{ departure_date: seats.date, seats_available: 2 }],
    });
    expectProblem(await change(hold.hold_id, { departure_date: daysFromToday(40) }), 409, 'departure_gone');
    expect([await seatsTaken(api.db, seats), await seatsTaken(api.db, other)]).toEqual([2, 0]);
  });

  it('a refusal names no other dates of a tour that the tenant no longer sees', async () => {
    const seats = await givenSeats(api.db);
    await givenOther(seats.tour);
    const hold = await givenHold(seats);
    await givenVisibilityRule(api.db, website, seats.tour, false);
    const answer = await change(hold.hold_id, { departure_date: daysFromToday(40) });
    expectProblem(answer, 404, 'tour_not_found');
    expect(answer.body).not.toHaveProperty('alternatives');
  });

  it('the API moves a hold away from a cancelled departure', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const other = await givenOther(seats.tour);
    const hold = await givenHold(seats);
    await db('departures')
      .where({ tour_id: seats.tour.id, departure_date: seats.date })
      .update({ status: 'cancelled' });
    expect((await change(hold.hold_id, { departure_date: other.date })).status).toBe(200);
    expect(await seatsTaken(db, seats)).toBe(0);
  });

  it("a hold counts in the tenant's share of the departure that it moves to", async () => {
    const { db } = api;
    const limited = await givenWebsite(api, { maxHoldShare: 50 });
    const seats = await givenSeats(db, { seats: 10 });
    const other = await givenOther(seats.tour, { seats: 10 });
    const held = async (quantity: number, { date }: Seats) =>
      (await limited.hold(seats.tour, { departure_date: date, quantity })).body.hold_id;
    const [three, five] = [await held(3, other), await held(5, seats)];
    const move = (body: object) => limited.patch(`/api/gateway/holds/${five}`, body);
    expectProblem(await move({ quantity: 6 }), 409, 'hold_limit_reached');
    expectProblem(await move({ departure_date: other.date }), 409, 'hold_limit_reached');
    expect((await move({ departure_date: other.date, quantity: 2 })).status).toBe(200);
    const grown = await limited.patch(`/api/gateway/holds/${three}`, { quantity: 4 });
    expectProblem(grown, 409, 'hold_limit_reached');
  });
});

describe('a change of a hold', () => {
  it('the API refuses to change a hold that is expired, released or converted', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const expired = await givenHold(seats);
    await endHoldIn(db, expired.hold_id, -1);
    const released = await givenHold(seats);
    await website.delete(`/api/gateway/holds/${released.hold_id}`);
    const converted = await givenHold(seats);
    await website.book({ tour_id: seats.tour.id, hold_id: converted.hold_id });
    expectProblem(await change(expired.hold_id, { quantity: 1 }), 409, 'hold_expired');
    expectProblem(await change(released.hold_id, { quantity: 1 }), 409, 'hold_state_conflict');
    expectProblem(await change(converted.hold_id, { quantity: 1 }), 409, 'hold_state_conflict');
  });

  it('the API answers 404 for a hold of another tenant and for an unknown id', async () => {
    const hold = await givenHold(await givenSeats(api.db));
    const other = await givenWebsite(api);
    const path = `/api/gateway/holds/${hold.hold_id}`;
    expectProblem(await other.patch(path, { quantity: 1 }), 404, 'hold_not_found');
    expectProblem(await change('nonsense', { quantity: 1 }), 404, 'hold_not_found');
  });

  it('a repeat of a change with the same Idempotency-Key gets the first answer and changes nothing', async () => {
    const seats = await givenSeats(api.db);
    const hold = await givenHold(seats);
    const key = { 'idempotency-key': `change-${hold.hold_id}` };
    const first = await change(hold.hold_id, { quantity: 3 }, key);
    await change(hold.hold_id, { quantity: 4 });
    const repeat = await change(hold.hold_id.toUpperCase(), { quantity: 3 }, key);
    expect([repeat.status, repeat.text]).toEqual([200, first.text]);
    expect(repeat.headers['idempotent-replayed']).toBe('true');
    expect(await seatsTaken(api.db, seats)).toBe(4);
    expectProblem(await change(hold.hold_id, { quantity: 5 }, key), 422, 'idempotency_key_reused');
  });

  it('moving a hold refreshes the availability of both dates', async () => {
    const seats = await givenSeats(api.db);
    const other = await givenOther(seats.tour);
    const hold = await givenHold(seats);
    const free = async ({ tour, date }: Seats) =>
      (await website.get(`/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`)).body
        .seats_available;
    expect([await free(seats), await free(other)]).toEqual([8, 10]);
    await change(hold.hold_id, { departure_date: other.date });
    expect([await free(seats), await free(other)]).toEqual([10, 8]);
  });
});
