import { refreshNextDepartures } from '../../services/api/catalog/next-departures.repository';
import { useTestApi } from '../support/api';
import {
  daysFromToday,
  givenDeparture,
  givenTour,
  type GivenTour,
  givenVisibilityRule,
  insertHold,
  type TourOverrides,
} from '../support/given';
import { expectProblem } from '../support/responses';
import { givenWebsite, useWebsite, type Website } from '../support/website';

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read']);
beforeEach(async () => {
  await api.db('seat_holds').delete();
  await api.db('departures').delete();
  await api.db('tours').delete();
});

interface Item {
  id: string;
  name: string;
  continent: string;
  next_departure_date: string | null;
}

async function namesOf(query: string, who = reader): Promise<string[]> {
  const { status, body } = await who.get(`/api/tenant/catalog?limit=100&${query}`);
  expect(status).toBe(200);
  return namesIn(body.items);
}

const namesIn = (items: Item[]) => items.map(({ name }) => name);
const given = (name: string, more: TourOverrides = {}) => givenTour(api.db, { name, ...more });
const departs = (tour: GivenTour, days: number, more: object = {}) =>
  givenDeparture(api.db, tour, { date: daysFromToday(days), ...more });

/** Reads all pages of the catalog. */
async function pagesOf(who: Website, query: string): Promise<Item[]> {
  const items: Item[] = [];
  let cursor = '';
  do {
    const { body, status } = await who.get(`/api/tenant/catalog?${query}${cursor}`);
    expect(status).toBe(200);
    items.push(...(body.items as Item[]));
    cursor = body.next_cursor && `&cursor=${body.next_cursor}`;
  } while (cursor);
  return items;
}

describe('the filters of GET /api/tenant/catalog', () => {
  it('the parameter country selects the tours of a country, in upper or lower case', async () => {
    await given('Hue');
    await given('Lima', { country: 'PE', continent: 'south-america' });
    expect(await namesOf('country=PE')).toEqual(['Lima']);
    expect(await namesOf('country=vn')).toEqual(['Hue']);
    for (const none of ['XX', 'vietnam', '%C3%9F', "'"]) expect(await namesOf(`country=${none}`)).toEqual([]);
  });

  it('the parameter tag selects the tours with exactly this tag', async () => {
    await given('Hue', { tags: ['river', 'food & wine'] });
    await given('Lima', { tags: ['food'] });
    expect(await namesOf('tag=river')).toEqual(['Hue']);
    expect(await namesOf('tag=food%20%26%20wine')).toEqual(['Hue']);
    expect(await namesOf('tag=food')).toEqual(['Lima']);
    for (const none of ['Food', 'foo', '{}', "a','b"]) expect(await namesOf(`tag=${none}`)).toEqual([]);
  });

  it('a tour whose length is exactly duration_min or duration_max is selected', async () => {
    for (const durationDays of [1, 3, 5, 9]) await given(`${durationDays} days`, { durationDays });
    expect(await namesOf('duration_min=3')).toEqual(['3 days', '5 days', '9 days']);
    expect(await namesOf('duration_max=3')).toEqual(['1 days', '3 days']);
    expect(await namesOf('duration_min=3&duration_max=5')).toEqual(['3 days', '5 days']);
    expect(await namesOf('duration_min=5&duration_max=3')).toEqual([]);
  });

  it('departs_from and departs_to select tours with an open departure between them, even if it is sold out', async () => {
    const date = daysFromToday(20);
    const open = await given('open');
    await departs(open, 20);
    await departs(open, 50);
    const full = await given('sold out');
    await departs(full, 20, { seats: 2 });
    await insertHold(api.db, reader, full, date, { quantity: 2 });
    await departs(await given('cancelled'), 20, { status: 'cancelled' });
    await departs(await given('closed'), 20, { closesAt: '2020-01-01T00:00:00Z' });
    await departs(await given('past'), -3);
    await given('without');
    expect(await namesOf(`departs_from=${date}&departs_to=${date}`)).toEqual(['open', 'sold out']);
    expect(await namesOf(`departs_from=${daysFromToday(21)}`)).toEqual(['open']);
    expect(await namesOf(`departs_to=${daysFromToday(19)}`)).toEqual([]);
    expect(await namesOf(`departs_from=${daysFromToday(21)}&departs_to=${daysFromToday(49)}`)).toEqual([]);
    expect(await namesOf('departs_from=2020-01-01')).toEqual(['open', 'sold out']);
  });

  it('departs_from changes neither price_from nor next_departure_date', async () => {
    const tour = await given('two dates');
    const first = await departs(tour, 5, { prices: { adult: 10_000 } });
    await departs(tour, 50, { prices: { adult: 90_000 } });
    const { body } = await reader.get(`/api/tenant/catalog?departs_from=${daysFromToday(40)}`);
    expect(body.items).toEqual([expect.objectContaining({ price_from: 100, next_departure_date: first })]);
  });

  it('all filters apply together on every page', async () => {
    for (let n = 0; n < 60; n++) {
      const [country, durationDays, tag] = [['VN', 'TH'][n % 2]!, 1 + (n % 3), `tag-${n % 5}`];
      const tour = await given(`Tour ${String(n).padStart(2, '0')}`, {
        country,
        durationDays,
        tags: [tag, 'all'],
      });
      await departs(tour, 10 + (n % 4));
    }
    const from = `departs_from=${daysFromToday(11)}`;
    const filter = `country=VN&tag=all&duration_min=2&duration_max=3&${from}&q=tour&continent=asia`;
    const found = namesIn(await pagesOf(reader, `limit=3&${filter}`));
    const expected = Array.from({ length: 60 }, (_, n) => n).filter(
      (n) => n % 2 === 0 && n % 3 > 0 && n % 4 > 0,
    );
    expect(found).toEqual(expected.map((n) => `Tour ${String(n).padStart(2, '0')}`));
  });

  it.each([
    ['departs_from', '2027-02-30'],
    ['departs_to', 'soon'],
    ['duration_min', '0'],
    ['duration_max', '367'],
    ['duration_max', '2.5'],
    ['sort', 'price'],
    ['country', ''],
    ['tag', 'x'.repeat(101)],
  ])('GET /api/tenant/catalog refuses the parameter %s=%s', async (field, value) => {
    const response = await reader.get('/api/tenant/catalog').query({ [field]: value });
    expectProblem(response, 400, 'validation_failed');
    expect(response.body.errors).toEqual([{ in: 'query', field, message: expect.any(String) }]);
  });

  it.each([
    'country=VN',
    'tag=a',
    'duration_min=1',
    'duration_max=9',
    'departs_from=2020-01-01',
    'sort=next_departure_date',
  ])('a cursor of a request with %s is refused in a request without this parameter', async (filter) => {
    for (const name of ['a', 'b']) await departs(await given(name, { tags: ['a'] }), 9);
    const { body } = await reader.get(`/api/tenant/catalog?limit=1&${filter}`);
    expect(body.next_cursor).toEqual(expect.any(String));
    const refused = await reader.get(`/api/tenant/catalog?limit=1&cursor=${body.next_cursor}`);
    expectProblem(refused, 400, 'invalid_cursor');
    const next = await reader.get(`/api/tenant/catalog?limit=1&${filter}&cursor=${body.next_cursor}`);
    expect(namesIn(next.body.items)).toEqual(['b']);
  });
});

describe('sort=next_departure_date', () => {
  const sorted = (who: Website, limit: number, filter = '') =>
    pagesOf(who, `sort=next_departure_date&limit=${limit}${filter}`);
  const all = (filter = '') => sorted(reader, 100, filter);

  const inOrder = (items: Item[]) =>
    [...items].sort((a, b) => {
      const keys = ({ next_departure_date: date, name, id }: Item) => `${date ?? '9999'} ${name} ${id}`;
      return keys(a) < keys(b) ? -1 : 1;
    });

  /** Creates 40 tours in four continents. Many tours share a date or a name, and some have no open departure. */
  async function givenTours(): Promise<GivenTour[]> {
    const tours = [];
    for (let n = 0; n < 40; n++) {
      const continent = ['africa', 'asia', 'europe', 'oceania'][n % 4]!;
      const tour = await given(`Tour ${n % 3}`, { continent });
      tours.push(tour);
      await departs(tour, 1 + (n % 5), { status: n % 3 === 0 ? 'cancelled' : 'scheduled' });
      if (n % 7 > 0) await departs(tour, 10 + (n % 6));
    }
    return tours;
  }

  it.each<[string, (tours: GivenTour[]) => Promise<void>]>([
    ['none is computed', async () => {}],
    ['all are computed', () => refreshNextDepartures(api.db)],
    [
      'some changed since their computation',
      async (tours) => {
        await refreshNextDepartures(api.db);
        const { db } = api;
        for (const tour of tours.slice(0, 8)) await departs(tour, 0, { closesAt: null });
        for (const { id } of tours.slice(5, 12)) await db('departures').where({ tour_id: id }).delete();
        await db('tours')
          .where({ id: tours[20]!.id })
          .update({ name: 'A new name', name_folded: 'a new name' });
        await db('departures').where({ tour_id: tours[30]!.id }).update({ status: 'cancelled' });
      },
    ],
  ])(
    'sort=next_departure_date sorts by next departure, name and id, with tours without a departure last (next departures: %s)',
    async (_what, prepare) => {
      await prepare(await givenTours());
      const listed = await all();
      expect(listed).toHaveLength(40);
      expect(listed).toEqual(inOrder(listed));
      const byName = (await reader.get('/api/tenant/catalog?limit=100')).body.items as Item[];
      expect(inOrder(byName)).toEqual(listed);
      for (const limit of [1, 7, 39]) expect(await sorted(reader, limit)).toEqual(listed);
      expect(await all('&continent=asia')).toEqual(listed.filter(({ continent }) => continent === 'asia'));
    },
  );

  it.each([true, false])(
    'sort=next_departure_date shows only visible tours when the default visibility is %s',
    async (defaultVisible) => {
      const tours = await givenTours();
      await refreshNextDepartures(api.db);
      await departs(tours[39]!, 0);
      const shop = await givenWebsite(api, { defaultVisible }, ['catalog:read']);
      await givenVisibilityRule(api.db, shop, 'asia', !defaultVisible);
      for (const tour of tours.slice(0, 9)) await givenVisibilityRule(api.db, shop, tour, !defaultVisible);
      for (const tour of tours.slice(9, 18)) await givenVisibilityRule(api.db, shop, tour, defaultVisible);
      const byName = (await shop.get('/api/tenant/catalog?limit=100')).body.items as Item[];
      expect(byName.length).toBeGreaterThan(9);
      expect(await sorted(shop, 4)).toEqual(inOrder(byName));
    },
  );

  it('no tour is missing or repeated when departures close between pages', async () => {
    const { db } = api;
    const { at } = await db.select(db.raw("clock_timestamp() + interval '2 seconds' as at")).first();
    const closesAt = (at as Date).toISOString();
    for (const name of ['a', 'b', 'c', 'd']) {
      const tour = await given(name);
      await departs(tour, 1, { closesAt });
      await departs(tour, 9);
    }
    await departs(await given('e'), 5);
    await refreshNextDepartures(db);
    const path = '/api/tenant/catalog?sort=next_departure_date&limit=2';
    const first = (await reader.get(path)).body;
    expect(namesIn(first.items)).toEqual(['a', 'b']);
    await db.raw('select pg_sleep_until(?)', [at]);
    for (const refresh of [false, true]) {
      if (refresh) await refreshNextDepartures(db);
      const second = (await reader.get(`${path}&cursor=${first.next_cursor}`)).body;
      const third = (await reader.get(`${path}&cursor=${second.next_cursor}`)).body;
      expect(namesIn([...second.items, ...third.items])).toEqual(['c', 'd', 'e']);
      expect(second.items[0].next_departure_date).toBe(daysFromToday(9));
      expect(namesIn(await all())).toEqual(['e', 'a', 'b', 'c', 'd']);
    }
  });

  it('a refresh computes every next departure that is missing or has closed', async () => {
    const tours = await givenTours();
    await refreshNextDepartures(api.db);
    expect(await api.db('next_departures_due')).toEqual([]);
    expect(await api.db('next_departures')).toHaveLength(tours.length);
    await api.db('next_departures').update({ open_until: '2020-01-01T00:00:00Z', sort_key: '2020-01-01' });
    const listed = await all();
    await refreshNextDepartures(api.db);
    expect(await api.db('next_departures').where('open_until', '<', '2021-01-01')).toEqual([]);
    expect(await all()).toEqual(listed);
  });
});

describe('GET /api/tenant/catalog/filters', () => {
  const filters = async (who = reader) => (await who.get('/api/tenant/catalog/filters')).body;

  it('GET /api/tenant/catalog/filters counts the visible tours of each continent, country and tag, and shows the ranges of durations and dates', async () => {
    const hue = await given('Hue', { tags: ['river', 'food', 'river'], durationDays: 4 });
    await given('Hanoi', { tags: ['food'], durationDays: 2 });
    const lima = await given('Lima', { country: 'PE', continent: 'south-america', durationDays: 12 });
    await given('draft', { status: 'draft', country: 'XK', tags: ['draft'], durationDays: 99 });
    const first = await departs(hue, 3);
    await departs(hue, 1, { status: 'cancelled' });
    await departs(lima, -1, {});
    await departs(lima, 90, { closesAt: '2020-01-01T00:00:00Z' });
    const last = await departs(lima, 60);
    expect(await filters()).toEqual({
      continents: [
        { value: 'asia', tours: 2 },
        { value: 'south-america', tours: 1 },
      ],
      countries: [
        { value: 'PE', tours: 1 },
        { value: 'VN', tours: 2 },
      ],
      tags: [
        { value: 'food', tours: 2 },
        { value: 'river', tours: 1 },
      ],
      duration_days: { min: 2, max: 12 },
      departures: { from: first, to: last },
    });
    const shop = await givenWebsite(api, {}, ['catalog:read']);
    await givenVisibilityRule(api.db, shop, 'asia', false);
    expect(await filters(shop)).toEqual({
      continents: [{ value: 'south-america', tours: 1 }],
      countries: [{ value: 'PE', tours: 1 }],
      tags: [],
      duration_days: { min: 12, max: 12 },
      departures: { from: last, to: last },
    });
  });

  it('the filters of an empty catalog are empty lists and null', async () => {
    expect(await filters()).toEqual({
      continents: [],
      countries: [],
      tags: [],
      duration_days: { min: null, max: null },
      departures: { from: null, to: null },
    });
  });

  it('a request for the filters with their current ETag gets 304', async () => {
    const { headers } = await reader.get('/api/tenant/catalog/filters');
    expect(headers['cache-control']).toBe('private, no-cache');
    const again = await reader.get('/api/tenant/catalog/filters').set({ 'if-none-match': headers.etag! });
    expect(again.status).toBe(304);
  });

  it('the filters need the scope catalog:read', async () => {
    const seller = await givenWebsite(api, {}, ['booking:create']);
    expectProblem(await seller.get('/api/tenant/catalog/filters'), 401, 'insufficient_scope');
  });

  it('the filters accept no parameter', async () => {
    expectProblem(await reader.get('/api/tenant/catalog/filters?limit=1'), 400, 'unknown_parameter');
  });
});
