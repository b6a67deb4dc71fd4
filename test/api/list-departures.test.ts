import { useTestApi } from '../support/api';
import {
  daysFromToday,
  givenDeparture,
  givenPriceRule,
  givenTour,
  type GivenTour,
  insertHold,
  todayIn,
} from '../support/given';
import { expectProblem } from '../support/responses';
import { givenWebsite, useWebsite } from '../support/website';

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read']);
let tour: GivenTour;
beforeEach(async () => {
  tour = await givenTour(api.db);
});

const list = (query = '', { slug } = tour) => reader.get(`/api/tenant/tours/${slug}/departures?${query}`);
const datesOf = (body: { items: { departure_date: string }[] }) =>
  body.items.map((item) => item.departure_date);

describe('GET /api/tenant/tours/{id_or_slug}/departures', () => {
  it('the list of departures answers exactly the fields of a departure and its price categories', async () => {
    const { db } = api;
    const prices = { adult: 129_050, child: 99_000, single_supplement: 20_000 };
    const date = await givenDeparture(db, tour, { seats: 8, prices });
    await db('departures')
      .where({ tour_id: tour.id })
      .update({ return_date: daysFromToday(32) });
    const other = await givenDeparture(db, tour, { date: daysFromToday(40), prices: { adult: 100_000 } });
    await insertHold(db, reader, tour, date, { quantity: 3 });
    const { status, body, headers } = await list();
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('private, no-cache');
    expect(body).toEqual({
      items: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          departure_date: date,
          start_time: null,
          return_date: daysFromToday(32),
          status: 'available',
          closes_at: `${daysFromToday(31)}T00:00:00.000Z`,
          seats_total: 8,
          seats_available: 5,
          currency: 'EUR',
          prices: { adult: 1290.5, child: 990, single_supplement: 200 },
          tenant_prices: { adult: 1290.5, child: 990, single_supplement: 200, deposit: 258.1 },
        },
        {
          id: expect.any(String),
          departure_date: other,
          start_time: null,
          return_date: null,
          status: 'available',
          closes_at: `${daysFromToday(41)}T00:00:00.000Z`,
          seats_total: 10,
          seats_available: 10,
          currency: 'EUR',
          prices: { adult: 1000 },
          tenant_prices: { adult: 1000, deposit: 200 },
        },
      ],
      next_cursor: null,
    });
  });

  it('the list of departures returns the status of each departure, and 0 free seats if it cannot be booked', async () => {
    const { db } = api;
    const on = (day: number, departure: object = {}) =>
      givenDeparture(db, tour, { date: daysFromToday(day), ...departure });
    await on(-9);
    await on(-8, { status: 'cancelled' });
    await on(2, { status: 'cancelled' });
    await on(3, { closesAt: new Date(Date.now() - 1000).toISOString() });
    await on(4, { closesAt: new Date(Date.now() + 60_000).toISOString() });
    await insertHold(db, reader, tour, await on(5), { quantity: 10 });
    await insertHold(db, reader, tour, await on(6), { quantity: 10, secondsLeft: -1 });
    await insertHold(db, reader, tour, await on(7), { quantity: 10, status: 'released' });
    const { body } = await list(`from=${daysFromToday(-20)}`);
    expect(body.items.map((item: Record<string, unknown>) => [item.status, item.seats_available])).toEqual([
      ['gone', 0],
      ['cancelled', 0],
      ['cancelled', 0],
      ['closed', 0],
      ['available', 10],
      ['sold_out', 0],
      ['available', 10],
      ['available', 10],
    ]);
  });

  it('the list of departures has upcoming departures by default, and other dates with `from` and `to`', async () => {
    const { db } = api;
    for (const day of [-1, 0, 1, 2]) await givenDeparture(db, tour, { date: daysFromToday(day) });
    await givenDeparture(db, tour, { date: daysFromToday(3), status: 'cancelled' });
    expect(datesOf((await list()).body)).toEqual([0, 1, 2, 3].map(daysFromToday));
    expect(datesOf((await list(`from=${daysFromToday(-5)}`)).body)).toEqual(
      [-1, 0, 1, 2, 3].map(daysFromToday),
    );
    const window = `from=${daysFromToday(1)}&to=${daysFromToday(2)}`;
    expect(datesOf((await list(window)).body)).toEqual([1, 2].map(daysFromToday));
    expect(datesOf((await list(`to=${daysFromToday(0)}`)).body)).toEqual([daysFromToday(0)]);
    expect(datesOf((await list(`from=${daysFromToday(2)}&to=${daysFromToday(1)}`)).body)).toEqual([]);
  });

  it("the list of departures decides by the date in the tour's time zone which departures are gone", async () => {
    const { db } = api;
    const [east, west] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];
    for (const [timeZone, status] of [
      [east, 'gone'],
      [west, 'available'],
    ] as const) {
      const there = await givenTour(db, { timeZone });
      // The two zones are 25 hours apart, so the western date has always passed in the east.
      await givenDeparture(db, there, { date: todayIn(west) });
      await givenDeparture(db, there, { date: todayIn(east) });
      const all = (await list('from=2020-01-01', there)).body.items;
      expect(all.map((item: { status: string }) => item.status)).toEqual([status, 'available']);
      const upcoming = datesOf((await list('', there)).body);
      expect(upcoming).toEqual(timeZone === east ? [todayIn(east)] : [todayIn(west), todayIn(east)]);
      const catalog = await reader.get(`/api/tenant/tours/${there.slug}`);
      expect(catalog.body.next_departure_date).toBe(upcoming[0]);
    }
  });

  describe('with a status', () => {
    beforeEach(async () => {
      const { db } = api;
      const on = (day: number, departure: object = {}) =>
        givenDeparture(db, tour, { date: daysFromToday(day), ...departure });
      await on(-9);
      await on(-8, { status: 'cancelled' });
      await on(-7, { closesAt: new Date(Date.now() - 1000).toISOString() });
      await on(2, { status: 'cancelled' });
      await on(3, { closesAt: new Date(Date.now() - 1000).toISOString() });
      await insertHold(db, reader, tour, await on(5), { quantity: 10 });
      await insertHold(db, reader, tour, await on(6), { quantity: 10, secondsLeft: -1 });
      await on(7);
    });

    it.each([
      ['available', '', [6, 7]],
      ['sold_out', '', [5]],
      ['cancelled', '', [2]],
      ['cancelled', `&from=${daysFromToday(-20)}`, [-8, 2]],
      ['closed', '', [3]],
      ['closed', `&from=${daysFromToday(-20)}`, [3]],
      ['gone', '', [-9, -7]],
      ['gone', `&from=${daysFromToday(-8)}`, [-7]],
      ['available', `&to=${daysFromToday(6)}`, [6]],
    ])(
      'status=%s%s returns exactly the departures that have this status now',
      async (status, range, days) => {
        const { items } = (await list(`status=${status}${range}`)).body;
        expect(datesOf({ items })).toEqual(days.map(daysFromToday));
        for (const item of items) expect(item).toMatchObject({ status });
      },
    );

    it('the list of departures has pages for the departures of one status', async () => {
      const { items, next_cursor } = (await list('status=gone&limit=1')).body;
      expect(datesOf({ items })).toEqual([daysFromToday(-9)]);
      const next = (await list(`status=gone&limit=1&cursor=${next_cursor}`)).body;
      expect(datesOf(next)).toEqual([daysFromToday(-7)]);
      expect(next.next_cursor).toBeNull();
    });

    it('the list of departures refuses a cursor in a request with another status filter', async () => {
      const { next_cursor } = (await list('status=gone&limit=1')).body;
      for (const query of ['', '&status=closed'])
        expectProblem(await list(`limit=1&cursor=${next_cursor}${query}`), 400, 'invalid_cursor');
    });

    it('status=sold_out lists a departure from the hold of its last seats until their release', async () => {
      const seller = await givenWebsite(api);
      const dates = async () => datesOf((await list('status=sold_out')).body);
      expect(await dates()).toEqual([daysFromToday(5)]);
      const { body } = await seller.hold(tour, { departure_date: daysFromToday(7), quantity: 10 });
      expect(await dates()).toEqual([5, 7].map(daysFromToday));
      await seller.delete(`/api/gateway/holds/${body.hold_id}`);
      expect(await dates()).toEqual([daysFromToday(5)]);
    });

    it.each(['open', 'AVAILABLE', '', 'available,gone'])(
      'the list of departures refuses the status %j',
      async (status) => {
        const response = await reader.get(`/api/tenant/tours/${tour.slug}/departures`).query({ status });
        expectProblem(response, 400, 'validation_failed');
        expect(response.body.errors).toEqual([{ in: 'query', field: 'status', message: expect.any(String) }]);
      },
    );
  });

  it('the list of departures answers an empty list for a tour without departures', async () => {
    expect((await list()).body).toEqual({ items: [], next_cursor: null });
  });

  describe.each(['from', 'to'])('%s', (name) => {
    it.each([
      '2027-02-30',
      '2027-13-01',
      '2027-00-10',
      '2027-1-1',
      '20270101',
      '0000-01-01',
      '2027-02-29',
      'today',
      'infinity',
      '2027-01-01T00:00:00Z',
      '-2027-01-01',
      '+2027-01-01',
      '12027-01-01',
      ' 2027-01-01',
      '01/02/2027',
      '',
    ])('the list of departures refuses %j, which is not a calendar date', async (value) => {
      const response = await reader.get(`/api/tenant/tours/${tour.slug}/departures`).query({ [name]: value });
      expectProblem(response, 400, 'validation_failed');
      expect(response.body.errors).toEqual([{ in: 'query', field: name, message: expect.any(String) }]);
    });

    it.each(['0001-01-01', '2028-02-29', '9999-12-31'])(
      'the list of departures accepts the date %s',
      async (value) => {
        expect((await list(`${name}=${value}`)).status).toBe(200);
      },
    );
  });

  it.each(['0', '367', 'abc', '5.5', '1e1', '', '+1'])(
    'the list of departures refuses the limit %j',
    async (limit) => {
      const response = await reader.get(`/api/tenant/tours/${tour.slug}/departures`).query({ limit });
      expectProblem(response, 400, 'validation_failed');
    },
  );

  it('the list of departures is 304 for its ETag until its seats change', async () => {
    const date = await givenDeparture(api.db, tour, { seats: 8 });
    const { headers } = await list();
    const known = () => list().set('If-None-Match', headers.etag!);
    expect((await known()).status).toBe(304);
    await insertHold(api.db, reader, tour, date, { quantity: 3 });
    const changed = await known();
    expect(changed).toMatchObject({ status: 200, body: { items: [{ seats_available: 5 }] } });
    expect(changed.headers.etag).not.toBe(headers.etag);
  });

  it('the list of departures returns 100 departures by default, and accepts a limit of 366', async () => {
    const { db } = api;
    await db('departures').insert(
      Array.from({ length: 120 }, (_, day) => ({
        tour_id: tour.id,
        departure_date: daysFromToday(day + 1),
        seats_total: 5,
        prices_minor: '{"adult":1}',
      })),
    );
    expect((await list('limit=366')).body.items).toHaveLength(120);
    const { items, next_cursor } = (await list()).body;
    expect(items).toHaveLength(100);
    expect((await list(`cursor=${next_cursor}`)).body.items).toHaveLength(20);
  });
});

describe("a departure's tenant_prices", () => {
  it.each<[string, string, Record<string, unknown>, number, number]>([
    ['a percentage', 'EUR', { percent: 12.5 }, 999.99, 1124.99],
    ['an amount off', 'EUR', { amount_minor: -2_000 }, 500, 480],
    ['an amount off that is above the price', 'EUR', { amount_minor: -90_000 }, 500, 0],
    ['a fixed price', 'EUR', { kind: 'price', amount_minor: 99_000, currency: 'EUR' }, 500, 990],
    ['a rounding step', 'EUR', { percent: 0, round_to: 5 }, 502.5, 505],
    ['an amount in euros, which a tour in yen ignores', 'JPY', { amount_minor: -2_000 }, 50_000, 50_000],
    ['a percentage for a tour in yen', 'JPY', { percent: -50 }, 50_001, 25_001],
    ['a percentage for a tour in dinars', 'TND', { percent: -50 }, 100.001, 50.001],
  ])('the API computes the tenant price from %s', async (_what, currency, columns, platform, expected) => {
    const { db } = api;
    const tenant = await givenWebsite(api, { paymentMethod: 'reserve' }, ['catalog:read']);
    const there = await givenTour(db, { currency });
    const digits = { EUR: 2, JPY: 0, TND: 3 }[currency]!;
    await givenDeparture(db, there, { prices: { adult: Math.round(platform * 10 ** digits) } });
    await givenPriceRule(db, tenant, columns);
    const [item] = (await tenant.get(`/api/tenant/tours/${there.slug}/departures`)).body.items;
    expect(item).toMatchObject({
      currency,
      prices: { adult: platform },
      tenant_prices: { adult: expected, deposit: 0 },
    });
  });

  it('a price rule of the tour overrides general rules, and the narrowest travel window decides among general rules', async () => {
    const { db } = api;
    const tenant = await givenWebsite(api, {}, ['catalog:read']);
    const [early, late, last] = [10, 20, 30].map(daysFromToday);
    for (const date of [early, late, last]) await givenDeparture(db, tour, { date });
    await givenPriceRule(db, tenant, { percent: 10 });
    await givenPriceRule(db, tenant, { percent: 20, travel_from: early, travel_to: early });
    await givenPriceRule(db, tenant, { percent: 30, travel_from: early, travel_to: late });
    await givenPriceRule(db, tenant, { percent: 40, tour_id: tour.id, travel_from: last, travel_to: last });
    const { items } = (await tenant.get(`/api/tenant/tours/${tour.slug}/departures`)).body;
    expect(items.map((item: { tenant_prices: { adult: number } }) => item.tenant_prices.adult)).toEqual([
      600, 650, 700,
    ]);
  });
});
