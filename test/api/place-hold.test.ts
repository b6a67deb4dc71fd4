import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour } from '../support/given';
import { expectInvalidFields, expectProblem } from '../support/responses';
import { endHoldIn, givenSeats, givenWebsite, seatsTaken, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

const minutesBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 60_000;

describe('a hold', () => {
  it('placing a hold answers 201 with exactly the documented fields, and forbids caching', async () => {
    const { tour, date } = await givenSeats(api.db);
    const hold = await website.hold(tour, {
      departure_date: date,
      quantity: 2,
      hold_minutes: 20,
      external_ref: 'cart-81',
      customer: { name: 'Ana Lima', phone: '030 901820', email: 'ana@example.com' },
    });
    expect(hold.status).toBe(201);
    expect(hold.headers['cache-control']).toBe('no-store');
    expect(hold.body).toEqual({
      ok: true,
      hold_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'active',
      tour: { id: tour.id, slug: tour.slug },
      departure_date: date,
      departure_time: null,
      quantity: 2,
      adults: 2,
      children: 0,
      party: { adult: 2 },
      hold_minutes: 20,
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      seats_available: 8,
      currency: 'EUR',
      unit_price: 500,
      total_price: 1000,
      prices: { adult: 500 },
      external_ref: 'cart-81',
      created_at: expect.stringMatching(/Z$/),
    });
    expect(minutesBetween(hold.body.created_at, hold.body.expires_at)).toBe(20);
  });

  it('reading a hold by its id in upper case returns the body of its creation', async () => {
    const { tour, date } = await givenSeats(api.db);
    const hold = await website.hold(tour, { departure_date: date, quantity: 1 });
    const read = await website.get(`/api/gateway/holds/${hold.body.hold_id.toUpperCase()}`);
    expect(read.status).toBe(200);
    expect(read.headers['cache-control']).toBe('no-store');
    expect(read.text).toBe(hold.text);
  });

  it("a hold lasts 15 minutes or the tenant's default, up to the tenant's maximum", async () => {
    const { tour, date } = await givenSeats(api.db);
    const patient = await givenWebsite(api, { holdDefaultMinutes: 7, holdMaxMinutes: 30 });
    const usual = await website.hold(tour, { departure_date: date, quantity: 1 });
    const own = await patient.hold(tour, { departure_date: date, quantity: 1 });
    expect([usual.body.hold_minutes, usual.body.external_ref]).toEqual([15, null]);
    expect(own.body.hold_minutes).toBe(7);
    const longest = { departure_date: date, quantity: 1, hold_minutes: 30 };
    expect((await patient.hold(tour, longest)).status).toBe(201);
    expectInvalidFields(await patient.hold(tour, { ...longest, hold_minutes: 31 }), ['hold_minutes']);
  });

  it.each([0, -1, 51, 1.5, '2', null, 1e9, 1e300, true, [2], {}])(
    'the API refuses a hold of %j seats',
    async (quantity) => {
      expectInvalidFields(await website.hold('some-tour', { departure_date: daysFromToday(3), quantity }), [
        'quantity',
      ]);
    },
  );

  it.each([0, -5, 61, 2.5, '15', null, 1e9])(
    'the API refuses a hold for %j minutes',
    async (hold_minutes) => {
      const body = { departure_date: daysFromToday(3), quantity: 1, hold_minutes };
      expectInvalidFields(await website.hold('some-tour', body), ['hold_minutes']);
    },
  );

  it('the API accepts a hold of 50 seats for 60 minutes', async () => {
    const { tour, date } = await givenSeats(api.db, { seats: 50 });
    const hold = await website.hold(tour, { departure_date: date, quantity: 50, hold_minutes: 60 });
    expect([hold.status, hold.body.seats_available]).toEqual([201, 0]);
  });

  it('the API refuses a hold without date and quantity, and names both fields', async () => {
    expectInvalidFields(await website.hold('some-tour', {}), ['departure_date', 'quantity']);
  });

  it('a request for a hold may name the tour by slug, or by UUID in upper or lower case', async () => {
    const { tour, date } = await givenSeats(api.db);
    const body = { departure_date: date, quantity: 1 };
    for (const name of [tour.slug, tour.id, tour.id.toUpperCase()]) {
      expect((await website.hold(name, body)).body.tour).toEqual({ id: tour.id, slug: tour.slug });
    }
  });

  it.each(['no-such-tour', 'Tour', '%00', "'", '%F0%9F%8C%8D', 'x'.repeat(500)])(
    'the API answers 404 for a hold on the unknown tour %s',
    async (name) => {
      const response = await website.hold(name, { departure_date: daysFromToday(30), quantity: 1 });
      expectProblem(response, 404, 'tour_not_found', { title: 'Tour not found' });
    },
  );

  it('the API refuses a tour whose percent-encoding is invalid', async () => {
    const response = await website.hold('%E0%A4%A', { departure_date: daysFromToday(30), quantity: 1 });
    expectProblem(response, 400, 'validation_failed');
  });
});

describe('a departure that cannot be held', () => {
  it('a refusal for too few seats names the free seats and the three nearest dates with enough seats', async () => {
    const { db } = api;
    const tour = await givenTour(db);
    const date = await givenDeparture(db, tour, { date: daysFromToday(30), seats: 3 });
    await givenDeparture(db, tour, { date: daysFromToday(31), seats: 3 });
    await givenDeparture(db, tour, { date: daysFromToday(20), seats: 9 });
    await givenDeparture(db, tour, { date: daysFromToday(35), seats: 4 });
    await givenDeparture(db, tour, { date: daysFromToday(29), seats: 40, status: 'cancelled' });
    await givenDeparture(db, tour, { date: daysFromToday(28), seats: 40, closesAt: '2020-01-01T00:00:00Z' });
    await givenDeparture(db, tour, { date: daysFromToday(60), seats: 40 });
    await givenDeparture(db, tour, { date: daysFromToday(90), seats: 40 });
    await givenDeparture(db, tour, { date: daysFromToday(-2), seats: 40 });

    const refusal = await website.hold(tour, { departure_date: date, quantity: 4 });
    expectProblem(refusal, 409, 'insufficient_seats', {
      title: 'Departure not available',
      seats_available: 3,
      alternatives: [
        { departure_date: daysFromToday(35), seats_available: 4 },
        { departure_date: daysFromToday(20), seats_available: 9 },
        { departure_date: daysFromToday(60), seats_available: 40 },
      ],
    });
    expect(await seatsTaken(db, { tour, date })).toBe(0);
  });

  it.each([
    ['in the past', { date: daysFromToday(-2) }, 'departure_gone'],
    ['that is closed for booking', { closesAt: '2020-01-01T00:00:00Z' }, 'departure_gone'],
    ['that was cancelled', { status: 'cancelled' }, 'departure_cancelled'],
    [
      'that was cancelled and is in the past',
      { status: 'cancelled', date: daysFromToday(-2) },
      'departure_cancelled',
    ],
  ])(
    'a hold of a departure %s gets 409, and the refusal names other dates',
    async (_what, departure, code) => {
      const { db } = api;
      const { tour, date } = await givenSeats(db, departure);
      const other = await givenDeparture(db, tour, { date: daysFromToday(40), seats: 5 });
      const refusal = await website.hold(tour, { departure_date: date, quantity: 1 });
      expectProblem(refusal, 409, code, {
        title: 'Departure not available',
        alternatives: [{ departure_date: other, seats_available: 5 }],
      });
      expect(refusal.body).not.toHaveProperty('seats_available');
    },
  );

  it('a hold gets departure_gone when the tour has no departure on the requested date', async () => {
    const { tour, date } = await givenSeats(api.db);
    const refusal = await website.hold(tour, { departure_date: daysFromToday(29), quantity: 1 });
    expectProblem(refusal, 409, 'departure_gone', {
      alternatives: [{ departure_date: date, seats_available: 10 }],
    });
  });

  it("a departure is gone when its day ends in the tour's time zone, and not before", async () => {
    const { db } = api;
    // UTC-11 and UTC+14: at every hour, at least one of them has another date than UTC.
    for (const timeZone of ['Pacific/Pago_Pago', 'Pacific/Kiritimati', 'Asia/Ho_Chi_Minh']) {
      const tour = await givenTour(db, { timeZone });
      const today = new Date().toLocaleDateString('sv-SE', { timeZone });
      const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
      await givenDeparture(db, tour, { date: today });
      await givenDeparture(db, tour, { date: yesterday });
      const held = await website.hold(tour, { departure_date: today, quantity: 1 });
      expect([held.status, held.body.departure_date]).toEqual([201, today]);
      expectProblem(
        await website.hold(tour, { departure_date: yesterday, quantity: 1 }),
        409,
        'departure_gone',
      );
    }
  });
});

describe("a tenant's live holds", () => {
  it('the API refuses a hold when the tenant already has its maximum of live holds', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db);
    const modest = await givenWebsite(api, { maxHolds: 2 });
    const one = { departure_date: date, quantity: 1 };
    const first = await modest.hold(tour, one);
    const second = await modest.hold(tour, one);
    expectProblem(await modest.hold(tour, one), 409, 'hold_limit_reached');
    await endHoldIn(db, first.body.hold_id, -1);
    expect((await modest.hold(tour, one)).status).toBe(201);
    await modest.delete(`/api/gateway/holds/${second.body.hold_id}`);
    expect((await modest.hold(tour, one)).status).toBe(201);
    expect((await website.hold(tour, one)).status).toBe(201);
  });

  it('a refused hold says how many live holds the tenant has, also above a maximum that was lowered', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db);
    const modest = await givenWebsite(api, { maxHolds: 2 });
    const one = { departure_date: date, quantity: 1 };
    await modest.hold(tour, one);
    await modest.hold(tour, one);
    await db('tenants').where({ id: modest.tenant.id }).update({ max_holds: 1 });
    const detail = expect.stringMatching(/^You have 2 active holds; the most that you may have is 1[.] /);
    expectProblem(await modest.hold(tour, one), 409, 'hold_limit_reached', { detail });
  });

  it("the API refuses a hold above the tenant's share of one departure", async () => {
    const { tour, date } = await givenSeats(api.db, { seats: 10 });
    const modest = await givenWebsite(api, { maxHoldShare: 39 });
    expect((await modest.hold(tour, { departure_date: date, quantity: 2 })).status).toBe(201);
    expectProblem(await modest.hold(tour, { departure_date: date, quantity: 2 }), 409, 'hold_limit_reached');
    expect((await modest.hold(tour, { departure_date: date, quantity: 1 })).status).toBe(201);
    expect((await website.hold(tour, { departure_date: date, quantity: 7 })).status).toBe(201);
  });
});
