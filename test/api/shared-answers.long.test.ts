import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { OPERATIONS } from '../support/documented-operations';
import {
  daysFromToday,
  givenDeparture,
  givenKey,
  givenPriceRule,
  givenTenant,
  givenTour,
  type GivenTour,
} from '../support/given';
import { givenWidgetToken, SHOP } from '../widget/given-widget';

/*
 * Two processes that cache answers and one that caches nothing answer the same requests. Each parameter and each header that may change
 * an answer is varied. A visitor reads all pages, each from the other process, with the cursors that it got, while answers of earlier
 * visitors are in the caches.
 */

type Headers = Record<string, string>;

interface Answer {
  status: number;
  text: string;
  headers: [string, string][];
}

const NAMES: [name: string, german: string | null, french: string | null][] = [
  ['Alps', 'Zugspitze', null],
  ['Bay', null, 'Erg'],
  ['Coast', 'Ährenküste', 'Littoral'],
  ['Dunes', null, null],
  ['Erg', 'Cañon', 'Bay'],
];
/** Pairs that the catalog's languages reduce to the same wish, and others. */
const LANGUAGES = ['en-GB', 'en-US', 'de', 'de-CH, de;q=0.9', 'fr;q=0.5, it'];
const WISHES: Headers[] = [{}, ...LANGUAGES.map((language) => ({ 'accept-language': language }))];
/** Headers that must not reach an answer which other callers share. */
const OTHER_HEADERS: Headers[] = [
  { accept: 'text/html' },
  { 'accept-encoding': 'gzip' },
  { 'cache-control': 'no-cache' },
  { 'x-forwarded-host': 'evil.example' },
  { 'x-forwarded-proto': 'http' },
  { 'octo-capabilities': 'octo/content' },
  { referer: `${SHOP}/tours` },
  { origin: SHOP },
  { 'sec-fetch-site': 'same-origin' },
];

const TO = daysFromToday(40);
const DATE = daysFromToday(30);
/** The values of each parameter that a cached route documents. Cursors come from the pages. */
const VALUES: Record<string, string[]> = {
  limit: ['2', '3'],
  continent: ['ASIA', 'atlantis'],
  country: ['vn', 'VN'],
  tag: ['walk'],
  q: ['a'],
  departs_from: [DATE],
  departs_to: [TO],
  duration_min: ['2'],
  duration_max: ['9'],
  sort: ['name', 'next_departure_date'],
  lang: ['de', 'DE', 'de-CH', 'it'],
  from: [DATE],
  to: [TO],
  status: ['available', 'cancelled'],
  departure_time: ['09:00', '10:00'],
  quantity: ['1', '50'],
};

let database: TestDatabase;
/** The last one caches nothing. */
let processes: ApiProcess[];
let tours: GivenTour[];
let keys: string[];
let tokens: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  processes = await Promise.all(
    ['on', 'on', 'off'].map((cache) =>
      startApiProcess(database.url, {
        AUTHORIZATION_CACHE: cache,
        PUBLIC_BASE_URL: 'https://api.example.test',
      }),
    ),
  );
  tours = [];
  for (const [n, [name, german, french]] of NAMES.entries()) {
    const tour = await givenTour(db, {
      name,
      tags: ['walk'],
      durationDays: 3 + n,
      translations: {
        ...(german !== null && { de: { name: german } }),
        ...(french !== null && { fr: { name: french } }),
      },
    });
    tours.push(tour);
    for (const startTime of ['09:00', '10:00'])
      await givenDeparture(db, tour, { date: DATE, startTime, seats: 5 + n });
    await givenDeparture(db, tour, { date: daysFromToday(35 - n) });
    await givenDeparture(db, tour, { date: daysFromToday(45), status: 'cancelled' });
  }
  const tenant = await givenTenant(db);
  const dearer = await givenTenant(db);
  await givenPriceRule(db, { tenant: dearer }, { percent: 10 });
  const sandbox = await givenTenant(db, { sandbox: true });
  keys = await Promise.all([tenant, tenant, dearer, sandbox].map((one) => givenKey(db, one)));
  // Each address may send 120 requests a minute with one token.
  tokens = [];
  for (let n = 0; n < 24; n++) tokens.push((await givenWidgetToken(db, tenant)).token);
  await awaitInstances(db);
});
afterAll(async () => {
  await Promise.all((processes ?? []).map((one) => one.stop()));
  await database.drop();
});

/** Headers that differ between two equal requests. */
const VARYING =
  /^(x-request-id|date|age|cache-status|ratelimit.*|connection|keep-alive|content-length|transfer-encoding)$/;
/**
 * Parts that depend on the time of the request: when seats were counted, the pass of the embed page, and the cursor of a list by date. The
 * test reads the next page with each cursor.
 */
const TIMED = /"as_of":"[^"]+"|pass=[\w.-]+|name="pass" value="[^"]+"|cursor(=|":")[\w-]+/g;

async function ask(process: number, path: string, headers: Headers): Promise<Answer> {
  const response = await fetch(processes[process]!.baseUrl + path, { headers });
  const text = (await response.text()).replaceAll(/urn:request:[\w-]+|"request_id":"[^"]+"/g, '');
  const kept = [...response.headers].filter(([name]) => !VARYING.test(name) && name !== 'etag');
  return { status: response.status, text, headers: kept };
}

/** Returns the lines of an answer without the parts that depend on time. */
const timeless = ({ status, text, headers }: Answer) =>
  [`${status}`, ...headers.map((header) => header.join(': ')), text].map((line) =>
    line.replaceAll(TIMED, ''),
  );

function cursorIn({ text }: Answer): string | undefined {
  const found = /"next_cursor":"([^"]+)"|cursor=([\w-]+)/.exec(text);
  return found?.[1] ?? found?.[2];
}

/** Reads all pages of a list, each from the other process, and compares each with the answer of the process that caches nothing. */
async function expectSameOnAllPages(path: string, headers: Headers, first: number): Promise<void> {
  let cursor: string | undefined;
  for (let page = 0; page < 20; page++) {
    const target = cursor === undefined ? path : `${path}&cursor=${cursor}`;
    const expected = await ask(2, target, headers);
    for (const process of [(first + page) % 2, (first + page + 1) % 2]) {
      const answer = await ask(process, target, headers);
      expect({ path, headers, page, answer: timeless(answer) }).toEqual({
        path,
        headers,
        page,
        answer: timeless(expected),
      });
      cursor = cursorIn(answer);
    }
    if (page > 0) expect({ path, headers, page, status: expected.status }).toMatchObject({ status: 200 });
    if (cursor === undefined) return;
  }
  throw new Error(`The pages of ${path} do not end`);
}

/** The routes whose answers or parts are cached, by the path in the OpenAPI document. */
const ROUTES: Record<string, (caller: number) => string> = {
  '/api/tenant/catalog': () => '/api/tenant/catalog?',
  '/api/tenant/catalog/filters': () => '/api/tenant/catalog/filters?',
  '/api/tenant/tours/{id_or_slug}': () => `/api/tenant/tours/${tours[2]!.slug}?`,
  '/api/tenant/tours/{id_or_slug}/departures': () => `/api/tenant/tours/${tours[0]!.slug}/departures?`,
  '/api/gateway/tours/{id_or_slug}/availability': () =>
    `/api/gateway/tours/${tours[1]!.slug}/availability?departure_date=${daysFromToday(34)}`,
  '/octo/products': () => '/octo/products?',
  '/octo/products/{id}': () => `/octo/products/${tours[2]!.id}?`,
  '/api/widget/tours': (caller) => `/api/widget/tours?token=${tokens[caller]}`,
  '/embed/tours': (caller) => `/embed/tours?token=${tokens[caller]}`,
};

/** Returns each value of each parameter that the route documents, as a query. */
function queriesOf(route: string): string[] {
  const { parameters } = OPERATIONS.find(({ method, path }) => method === 'GET' && path === route)!;
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const varied = names.filter(
    (name) => !['cursor', 'departure_date', 'token', 'api_key', 'updated_since'].includes(name),
  );
  const paged = names.includes('cursor') ? '&limit=2' : '';
  return [
    '',
    ...varied.flatMap((name) => {
      const values = VALUES[name] ?? (name === 'theme' ? ['dark'] : []);
      if (values.length === 0) throw new Error(`The test has no value for ${name} of ${route}`);
      return values.map((value) => `&${name}=${value}${name === 'limit' ? '' : paged}`);
    }),
  ];
}

const isOfWidget = (route: string) => /widget|embed/.test(route);
const isOfOcto = (route: string) => route.startsWith('/octo');

/** Returns the headers of a caller. @param caller the number of its API key; a widget sends its token in the address */
const headersOf = (route: string, caller: number): Headers =>
  isOfWidget(route) ? {} : { authorization: `Bearer ${keys[caller]}` };

/** The first test of a route sends hundreds of requests. */
const LONG_MS = 240_000;

describe.each(Object.keys(ROUTES))('the shared answers of GET %s', (route) => {
  it(
    'a visitor gets the uncached answer for each parameter and each language, on all pages',
    async () => {
      for (const [n, query] of queriesOf(route).entries()) {
        for (const [m, wish] of WISHES.entries()) {
          const octo: Headers = isOfOcto(route) ? { 'octo-capabilities': 'octo/content' } : {};
          const headers = { ...headersOf(route, 0), ...octo, ...wish };
          await expectSameOnAllPages(ROUTES[route]!(n) + query, headers, n + m);
        }
      }
    },
    LONG_MS,
  );

  it('a caller gets the uncached answer whatever else it sends, and whoever asked before', async () => {
    const callers = isOfWidget(route) ? [22, 23] : [0, 1, 2, 3];
    for (const caller of callers)
      for (const [n, headers] of [{}, ...OTHER_HEADERS].entries())
        await expectSameOnAllPages(ROUTES[route]!(caller), { ...headersOf(route, caller), ...headers }, n);
  });
});

describe('the cursor of a list in languages', () => {
  it.each(['/api/tenant/catalog', '/api/widget/tours', '/embed/tours'])(
    'a cursor of %s works for every visitor whose wish has the same languages of the catalog',
    async (route) => {
      const path = `${ROUTES[route]!(21)}&limit=2`;
      const headers = headersOf(route, 0);
      const first = await ask(2, path, { ...headers, 'accept-language': 'en-GB' });
      const next = `${path}&cursor=${cursorIn(first)}`;
      for (const process of [0, 1, 2]) {
        const statusFor = async (language: string) =>
          (await ask(process, next, { ...headers, 'accept-language': language })).status;
        expect(await statusFor('en-US, de;q=0.5')).toBe(200);
        expect(await statusFor('en')).toBe(200);
        expect(await statusFor('de')).toBe(400);
      }
    },
  );

  it('most answers of this file came from the caches of the processes', async () => {
    for (const process of processes.slice(0, 2)) {
      const hits = /read_cache_lookups_total{cache="answers",outcome="hit"} (\d+)/.exec(
        await process.metrics(),
      );
      expect(Number(hits?.[1])).toBeGreaterThan(200);
    }
  });
});
