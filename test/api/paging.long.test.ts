import type { Response } from 'supertest';
import { useTestApi } from '../support/api';
import {
  daysFromToday,
  givenDeparture,
  givenTour,
  type GivenTour,
  givenVisibilityRule,
} from '../support/given';
import { expectProblem } from '../support/responses';
import { givenWebsite, useWebsite, type Website } from '../support/website';

const CONTINENTS = ['africa', 'asia', 'europe', 'oceania'];
const TOURS = 60;
const DAYS = 25;

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read']);
let tour: GivenTour;
beforeAll(async () => {
  for (let n = 0; n < TOURS; n++) {
    // Five tours share each name, so that pages end between equal names.
    const given = { name: `Tour ${n % 12}`, continent: CONTINENTS[n % CONTINENTS.length] };
    tour = await givenTour(api.db, given);
  }
  for (let day = 1; day <= DAYS; day++) await givenDeparture(api.db, tour, { date: daysFromToday(day) });
});

async function pagesOf(who: Website, path: string): Promise<Response[]> {
  const pages = [await who.get(path)];
  while (pages.at(-1)!.body.next_cursor !== null) {
    pages.push(await who.get(`${path}&cursor=${pages.at(-1)!.body.next_cursor}`));
    if (pages.length > TOURS) throw new Error('The pages do not end');
  }
  return pages;
}
const itemsOf = (pages: Response[]) => pages.flatMap((page) => page.body.items);
const LISTS = {
  'GET /api/tenant/catalog': () => '/api/tenant/catalog?',
  'GET /api/tenant/tours/{id_or_slug}/departures': () => `/api/tenant/tours/${tour.slug}/departures?`,
};

describe('the pages of the catalog', () => {
  it.each([1, 7, 20, 60])('pages of %i tours list each tour once and in order', async (limit) => {
    const pages = await pagesOf(reader, `/api/tenant/catalog?limit=${limit}`);
    const all = (await reader.get('/api/tenant/catalog?limit=100')).body.items;
    expect(pages).toHaveLength(Math.ceil(TOURS / limit));
    expect(itemsOf(pages)).toEqual(all);
    expect(new Set(all.map(({ id }: GivenTour) => id)).size).toBe(TOURS);
  });

  it('every page obeys the filters', async () => {
    const items = itemsOf(await pagesOf(reader, '/api/tenant/catalog?limit=2&continent=asia&q=TOUR%201'));
    const expected = Array.from({ length: TOURS }, (_, n) => n).filter(
      (n) => n % 4 === 1 && /^1/.test(String(n % 12)),
    );
    expect(items).toHaveLength(expected.length);
    for (const item of items)
      expect(item).toMatchObject({ continent: 'asia', name: expect.stringMatching(/^Tour 1/) });
  });

  it.each([true, false])(
    "the pages of the catalog list only visible tours when the tenant's defaultVisible is %s",
    async (defaultVisible) => {
      const { db } = api;
      const tenant = await givenWebsite(api, { defaultVisible }, ['catalog:read']);
      await givenVisibilityRule(db, tenant, 'asia', !defaultVisible);
      const all = (await reader.get('/api/tenant/catalog?limit=100')).body.items;
      const exceptions = all.filter((_: unknown, index: number) => index % 7 === 0);
      for (const item of exceptions)
        await givenVisibilityRule(
          db,
          tenant,
          item,
          item.continent === 'asia' ? defaultVisible : !defaultVisible,
        );
      const visible = all.filter(
        (item: { continent: string }) =>
          ((item.continent === 'asia') !== exceptions.includes(item)) !== defaultVisible,
      );
      // The tenant's new visibility rules count as changes of their tours, so updated_at is later than before.
      const later = visible.map((item: object) => ({ ...item, updated_at: expect.any(String) }));
      expect(itemsOf(await pagesOf(tenant, '/api/tenant/catalog?limit=5'))).toEqual(later);
    },
  );

  it('the pages of the catalog skip and repeat no tour while other tours are added and removed', async () => {
    const { db } = api;
    const first = await reader.get('/api/tenant/catalog?limit=30');
    const early = await givenTour(db, { name: 'AAA' });
    await db('tours')
      .where({ id: first.body.items.at(-1).id })
      .update({ status: 'draft' });
    const second = await reader.get(`/api/tenant/catalog?limit=100&cursor=${first.body.next_cursor}`);
    expect(new Set([...first.body.items, ...second.body.items].map(({ id }) => id)).size).toBe(TOURS);
    await db('tours').where({ id: early.id }).delete();
    await db('tours').where({ status: 'draft' }).update({ status: 'published' });
  });
});

describe('the pages of departures', () => {
  it.each([1, 10, 25])('pages of %i departures list each date once and in order', async (limit) => {
    const pages = await pagesOf(reader, `/api/tenant/tours/${tour.slug}/departures?limit=${limit}`);
    const dates = itemsOf(pages).map((item) => item.departure_date);
    expect(dates).toEqual(Array.from({ length: DAYS }, (_, n) => daysFromToday(n + 1)));
  });
});

describe.each(Object.entries(LISTS))('the pages of %s', (_name, path) => {
  const cursorOf = async (query = '') =>
    (await reader.get(`${path()}limit=3${query}`)).body.next_cursor as string;

  it("a list links the next page with the request's parameters, without the credential", async () => {
    const query = `${path()}limit=3&api_key=${reader.key}`;
    const { headers, body } = await api.http.get(query);
    const [, link] = /^<(.+)>; rel="next"$/.exec(headers.link!)!;
    const url = new URL(link!);
    expect(url.origin + url.pathname).toBe(`https://api.example.test${path().slice(0, -1)}`);
    expect(Object.fromEntries(url.searchParams)).toEqual({ limit: '3', cursor: body.next_cursor });
    const next = await reader.get(url.pathname + url.search);
    expect(next.body.items[0]).not.toEqual(body.items[0]);
    expect(next.body.items).toHaveLength(3);
  });

  it('a list sends no Link header on the last page', async () => {
    const { headers, body } = await reader.get(`${path()}limit=100`);
    expect(body.next_cursor).toBeNull();
    expect(headers.link).toBeUndefined();
  });

  it('a list accepts a cursor with another limit', async () => {
    const { status, body } = await reader.get(`${path()}limit=1&cursor=${await cursorOf()}`);
    expect({ status, items: body.items.length }).toEqual({ status: 200, items: 1 });
  });

  it.each<[string, (cursor: string) => string]>([
    ['changed', (cursor) => (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1)],
    ['cut short', (cursor) => cursor.slice(0, -4)],
    ['extended', (cursor) => `${cursor}AAAA`],
    ['made up', () => Buffer.from('{"nameFolded":"","id":"1"}').toString('base64url')],
    ['a space', () => '%20'],
    ['an offset', () => '24'],
    ['SQL', () => "'%3Bselect%201"],
  ])('a list refuses a cursor that is %s', async (_what, change) => {
    const response = await reader.get(`${path()}cursor=${change(await cursorOf())}`);
    expectProblem(response, 400, 'invalid_cursor');
    expect(response.body.errors).toEqual([{ in: 'query', field: 'cursor', message: expect.any(String) }]);
  });

  it("a list refuses another tenant's cursor", async () => {
    const other = await givenWebsite(api, {}, ['catalog:read']);
    expectProblem(await other.get(`${path()}cursor=${await cursorOf()}`), 400, 'invalid_cursor');
  });
});

describe('a cursor', () => {
  it.each(['q=tour', 'continent=asia', 'q=Tour&continent=asia', ''])(
    'the API refuses a cursor when the filters change to "%s"',
    async (filters) => {
      const { body } = await reader.get('/api/tenant/catalog?limit=1&q=Tour');
      expectProblem(
        await reader.get(`/api/tenant/catalog?${filters}&cursor=${body.next_cursor}`),
        400,
        'invalid_cursor',
      );
    },
  );

  it.each(['from', 'to'])(
    'the API refuses a cursor of departures in a request with another %s',
    async (name) => {
      const path = `/api/tenant/tours/${tour.slug}/departures?limit=2`;
      const { body } = await reader.get(path);
      const response = await reader.get(`${path}&${name}=${daysFromToday(9)}&cursor=${body.next_cursor}`);
      expectProblem(response, 400, 'invalid_cursor');
    },
  );

  it('the API accepts a cursor of departures for its tour only, named by slug or UUID', async () => {
    const { db } = api;
    const other = await givenTour(db, { continent: 'asia' });
    const { body } = await reader.get(`/api/tenant/tours/${tour.slug}/departures?limit=2`);
    const ask = (key: string) =>
      reader.get(`/api/tenant/tours/${key}/departures?limit=2&cursor=${body.next_cursor}`);
    expect((await ask(tour.id.toUpperCase())).status).toBe(200);
    expectProblem(await ask(other.slug), 400, 'invalid_cursor');
    await db('tours').where({ id: other.id }).delete();
  });

  it('the API refuses a cursor of the catalog for departures', async () => {
    const cursor = (await reader.get('/api/tenant/catalog?limit=1')).body.next_cursor;
    const response = await reader.get(`/api/tenant/tours/${tour.slug}/departures?cursor=${cursor}`);
    expectProblem(response, 400, 'invalid_cursor');
  });

  it('the API refuses an invalid cursor before it looks up the tour', async () => {
    expectProblem(
      await reader.get('/api/tenant/tours/no-such-tour/departures?cursor=bad'),
      400,
      'invalid_cursor',
    );
  });
});
