import { useTestApi } from '../support/api';
import {
  daysFromToday,
  givenDeparture,
  givenPriceRule,
  givenTour,
  givenVisibilityRule,
} from '../support/given';
import { expectProblem } from '../support/responses';
import { givenWebsite, useWebsite, type Website } from '../support/website';

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read']);
beforeEach(async () => {
  await api.db('departures').delete();
  await api.db('tours').delete();
});

const namesOf = (body: { items: { name: string }[] }) => body.items.map((item) => item.name);
const givenNames = (...names: string[]) => Promise.all(names.map((name) => givenTour(api.db, { name })));

describe('GET /api/tenant/catalog', () => {
  it('GET /api/tenant/catalog answers exactly the fields of a catalog item', async () => {
    const { db } = api;
    const tour = await givenTour(db, { name: 'Hạ Long', continent: 'asia', basePriceMinor: 129_050 });
    await givenDeparture(db, tour, { date: daysFromToday(-3) });
    const date = await givenDeparture(db, tour, { date: daysFromToday(9), prices: { adult: 129_050 } });
    const { body, headers, status } = await reader.get('/api/tenant/catalog');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(body).toEqual({
      items: [
        {
          id: tour.id,
          slug: tour.slug,
          name: 'Hạ Long',
          summary: null,
          continent: 'asia',
          country: 'VN',
          duration_days: 3,
          image_url: null,
          tags: [],
          currency: 'EUR',
          price_from: 1290.5,
          next_departure_date: date,
          updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        },
      ],
      next_cursor: null,
    });
  });

  it('next_departure_date is the first date that can still be booked', async () => {
    const { db } = api;
    const tour = await givenTour(db);
    await givenDeparture(db, tour, { date: daysFromToday(2), status: 'cancelled' });
    await givenDeparture(db, tour, { date: daysFromToday(3), closesAt: '2020-01-01T00:00:00Z' });
    const date = await givenDeparture(db, tour, { date: daysFromToday(4) });
    await givenDeparture(db, tour, { date: daysFromToday(5) });
    const { body } = await reader.get('/api/tenant/catalog');
    expect(body.items[0].next_departure_date).toBe(date);
  });

  it('GET /api/tenant/catalog answers an empty list for an empty catalog', async () => {
    const { body } = await reader.get('/api/tenant/catalog');
    expect(body).toEqual({ items: [], next_cursor: null });
  });

  it('GET /api/tenant/catalog lists only published tours', async () => {
    for (const status of ['draft', 'archived', 'published']) {
      await givenTour(api.db, { name: status, status });
    }
    expect(namesOf((await reader.get('/api/tenant/catalog')).body)).toEqual(['published']);
  });

  it('GET /api/tenant/catalog sorts the tours by name without case and accents, then by id', async () => {
    await givenNames('zebra', 'Äpfel', 'apfel', 'Ölberg', 'Zagreb', 'Đà Nẵng', 'oase', 'Same', 'same');
    const { items } = (await reader.get('/api/tenant/catalog')).body;
    const names = namesOf({ items });
    expect(names.map((name) => name.toLowerCase())).toEqual(
      expect.arrayContaining(['äpfel', 'apfel', 'đà nẵng', 'oase', 'ölberg', 'same', 'zagreb', 'zebra']),
    );
    expect(names.slice(2, 5)).toEqual(['Đà Nẵng', 'oase', 'Ölberg']);
    expect(names.slice(7)).toEqual(['Zagreb', 'zebra']);
    for (const [a, b] of [items.slice(0, 2), items.slice(5, 7)]) expect(a.id < b.id).toBe(true);
  });

  describe('q', () => {
    beforeEach(() =>
      givenNames('São Paulo Lights', '100% Sahara', 'under_score', 'back\\slash', 'Straße 50', 'Plain'),
    );

    it.each([
      ['sao paulo', ['São Paulo Lights']],
      ['SÃO PAULO', ['São Paulo Lights']],
      ['são', ['São Paulo Lights']],
      ['strasse', ['Straße 50']],
      ['%', ['100% Sahara']],
      ['_', ['under_score']],
      ['\\', ['back\\slash']],
      ['back\\', ['back\\slash']],
      ['Plain\\', []],
      ['plain%', []],
      ["' or 1=1 --", []],
      [' paulo', ['São Paulo Lights']],
      ['\ufeffsao\u200b paulo\u200e', ['São Paulo Lights']],
      ['😀'.repeat(100), []],
      ['x'.repeat(100), []],
    ])('GET /api/tenant/catalog finds %j as a literal part of the name', async (q, names) => {
      const { status, body } = await reader.get('/api/tenant/catalog').query({ q });
      expect({ status, names: namesOf(body) }).toEqual({ status: 200, names });
    });

    it.each([['x'.repeat(101)], ['😀'.repeat(101)], ['a\u0000b'], ['a\nb'], ['\u0085'], ['\u200b'], ['']])(
      'GET /api/tenant/catalog refuses the search text %j',
      async (q) => {
        const response = await reader.get('/api/tenant/catalog').query({ q });
        expectProblem(response, 400, 'validation_failed');
        expect(response.body.errors).toEqual([{ in: 'query', field: 'q', message: expect.any(String) }]);
      },
    );
  });

  describe('continent', () => {
    it('GET /api/tenant/catalog selects only the tours of the requested continent', async () => {
      await givenTour(api.db, { name: 'Lima', continent: 'south-america' });
      await givenTour(api.db, { name: 'Hue', continent: 'asia' });
      const { body } = await reader.get('/api/tenant/catalog?continent=south-america');
      expect(namesOf(body)).toEqual(['Lima']);
    });

    it('GET /api/tenant/catalog ignores the letter case of a continent, even beside a cursor', async () => {
      for (const name of ['Cusco', 'Lima']) await givenTour(api.db, { name, continent: 'south-america' });
      const ask = (query: object) => reader.get('/api/tenant/catalog').query({ limit: 1, ...query });
      const first = await ask({ continent: 'South-America' });
      const second = await ask({ continent: 'SOUTH-AMERICA', cursor: first.body.next_cursor });
      expect([...namesOf(first.body), ...namesOf(second.body)]).toEqual(['Cusco', 'Lima']);
    });

    it.each(['atlantis', 'a%20b', 'Österreich', "'", 'x'.repeat(300)])(
      'GET /api/tenant/catalog answers an empty list for a continent without tours: %s',
      async (name) => {
        await givenTour(api.db);
        const { status, body } = await reader.get('/api/tenant/catalog').query({ continent: name });
        expect({ status, body }).toEqual({ status: 200, body: { items: [], next_cursor: null } });
      },
    );
  });

  describe('limit', () => {
    it.each([
      '0',
      '101',
      '-1',
      'abc',
      '5.5',
      '5.0',
      '1e1',
      '+5',
      '05',
      ' 5',
      '0x5',
      '',
      '99999999999999999999',
      'NaN',
    ])('GET /api/tenant/catalog refuses the limit %j instead of clamping it', async (limit) => {
      const response = await reader.get('/api/tenant/catalog').query({ limit });
      expectProblem(response, 400, 'validation_failed');
      expect(response.body.errors).toEqual([{ in: 'query', field: 'limit', message: expect.any(String) }]);
    });

    it('GET /api/tenant/catalog refuses a repeated limit, even with equal values', async () => {
      for (const query of ['limit=1&limit=2', 'limit=1&limit=1']) {
        expectProblem(await reader.get(`/api/tenant/catalog?${query}`), 400, 'duplicate_parameter');
      }
    });

    it('GET /api/tenant/catalog returns 24 tours by default, and up to 100 with a limit', async () => {
      await givenNames(...Array.from({ length: 101 }, (_, n) => `Tour ${n}`));
      expect((await reader.get('/api/tenant/catalog')).body.items).toHaveLength(24);
      expect((await reader.get('/api/tenant/catalog?limit=100')).body.items).toHaveLength(100);
      expect((await reader.get('/api/tenant/catalog?limit=1')).body.items).toHaveLength(1);
    });
  });

  it("a visibility rule of a tour overrides one of its continent, which overrides the tenant's default", async () => {
    const { db } = api;
    const continents = ['asia', 'europe', 'africa'];
    const plain = await Promise.all(
      continents.map((continent) => givenTour(db, { name: `${continent} plain`, continent })),
    );
    const ruled = await Promise.all(
      continents.map((continent) => givenTour(db, { name: `${continent} ruled`, continent })),
    );
    for (const defaultVisible of [true, false]) {
      const tenant = await givenWebsite(api, { defaultVisible }, ['catalog:read']);
      await givenVisibilityRule(db, tenant, 'europe', !defaultVisible);
      await givenVisibilityRule(db, tenant, ruled[0]!, !defaultVisible);
      await givenVisibilityRule(db, tenant, ruled[1]!, defaultVisible);
      const names = namesOf((await tenant.get('/api/tenant/catalog')).body);
      const byDefault = ['africa plain', 'africa ruled', 'asia plain', 'europe ruled'];
      expect(names).toEqual(defaultVisible ? byDefault : ['asia ruled', 'europe plain']);
      for (const { slug } of [...plain, ...ruled]) {
        const listed = names.includes((await db('tours').where({ slug }).first()).name);
        expect((await tenant.get(`/api/tenant/tours/${slug}`)).status).toBe(listed ? 200 : 404);
      }
    }
  });

  it('GET /api/tenant/catalog answers each tenant its own price', async () => {
    const { db } = api;
    const tour = await givenTour(db, { basePriceMinor: 50_000 });
    const halved = await givenWebsite(api, {}, ['catalog:read']);
    await givenPriceRule(db, halved, { percent: -50 });
    await givenPriceRule(db, halved, { percent: 100, travel_from: '2020-01-01', travel_to: '2099-01-01' });
    const priceFrom = async (who: Website) => (await who.get(`/api/tenant/catalog`)).body.items[0].price_from;
    expect([await priceFrom(halved), await priceFrom(reader)]).toEqual([250, 500]);
    expect((await halved.get(`/api/tenant/tours/${tour.slug}`)).body).toMatchObject({
      price_from: 250,
      tenant_prices: { adult: 250, deposit: 50 },
    });
  });
});
