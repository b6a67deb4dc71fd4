import { setTimeout as sleep } from 'node:timers/promises';
import { register } from 'prom-client';
import type { Response } from 'supertest';
import { createCachedReads } from '../../services/api/http/api-context';
import { type Db, openDatabase } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import {
  type ReadCacheValidity,
  startReadCacheValidity,
} from '../../services/platform/read-cache/read-cache';
import { startTestApi, type TestApi } from '../support/api';
import { givenDeparture, givenTour, type GivenTour, insertHold } from '../support/given';
import { expectProblem } from '../support/responses';
import { sendRaw } from '../support/send-raw';
import { givenWebsite, type Website } from '../support/website';
import { givenWidgetToken, SHOP } from '../widget/given-widget';

const CATALOG = '/api/tenant/catalog?limit=1';

let api: TestApi;
let polls: Db;
let validity: ReadCacheValidity & { stop(): Promise<void> };
let shop: Website;
let tour: GivenTour;
let date: string;
let token: string;
beforeAll(async () => {
  // Limits the widget's requests, because one test reaches its quota.
  const quotas = { availability: 1e6, hold: 1e6, booking: 1e6, catalog: 1e6, widget: 60 };
  api = await startTestApi({ quotas });
  polls = openDatabase(api.database.url, { applicationName: 'tests', poolMax: 1 });
  validity = startReadCacheValidity(polls, createLogger('silent', 'tests'));
  Object.assign(api.context, createCachedReads(api.db, validity));
  shop = await givenWebsite(api);
  for (let n = 0; n < 2; n++) tour = await givenTour(api.db);
  date = await givenDeparture(api.db, tour, { seats: 10 });
  token = (await givenWidgetToken(api.db, shop.tenant)).token;
  await awaitInstances(api.db);
});
afterAll(async () => {
  await validity.stop();
  await polls.destroy();
  await api.stop();
});

const tourPath = () => `/api/tenant/tours/${tour.slug}`;
const departuresPath = () => `${tourPath()}/departures`;
const availabilityPath = () => `/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`;
const widgetPath = (of = token) => `/api/widget/tours?limit=1&token=${of}`;

async function countOf(metric: string, labels: Record<string, string | number>): Promise<number> {
  const { values } = await register.getSingleMetric(metric)!.get();
  const found = values.find((one) =>
    Object.entries(labels).every(([name, value]) => one.labels[name] === value),
  );
  return found?.value ?? 0;
}
const hits = () => countOf('read_cache_lookups_total', { cache: 'answers', outcome: 'hit' });

/** Repeats a request until its answer comes from the cache. On a slow machine, a late poll makes the cache invalid for a while. */
async function fromCache(ask: () => PromiseLike<Response>): Promise<Response> {
  for (;;) {
    const before = await hits();
    const response = await ask();
    if ((await hits()) > before) return response;
  }
}

const VARYING = [
  'x-request-id',
  'date',
  'age',
  'cache-status',
  'ratelimit',
  'ratelimit-remaining',
  'ratelimit-reset',
];

/**
 * Returns the sorted names of the headers, each with its value. A header that differs between two equal requests has the value
 * undefined.
 */
function headersOf({ headers }: Response): [string, string | undefined][] {
  const names = Object.keys(headers).sort();
  return names.map((name) => [name, VARYING.includes(name) ? undefined : (headers[name] as string)]);
}

describe('an answer from the cache', () => {
  it.each<[string, () => string]>([
    ['a catalog page', () => CATALOG],
    ['a tour', tourPath],
    ['departures', departuresPath],
    ['availability', availabilityPath],
  ])('the cached answer for %s has the headers and bytes of the first answer', async (_what, path) => {
    const first = await shop.get(path());
    const second = await fromCache(() => shop.get(path()));
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(headersOf(second)).toEqual(headersOf(first));
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
  });

  it('a cached widget answer equals the first answer, but only a listed origin gets CORS headers', async () => {
    const ask = (origin?: string) => api.http.get(widgetPath()).set(origin ? { origin } : {});
    const first = await ask(SHOP);
    const second = await fromCache(() => ask(SHOP));
    expect(second.text).toBe(first.text);
    expect(headersOf(second)).toEqual(headersOf(first));
    expect(second.headers).toMatchObject({ 'access-control-allow-origin': SHOP, vary: 'Origin' });
    expect((await fromCache(() => ask())).headers).not.toHaveProperty('access-control-allow-origin');
    const foreign = await fromCache(() => ask('https://evil.example'));
    expectProblem(foreign, 403, 'origin_not_allowed');
    expect(foreign.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('a request with a malformed body gets 400 with all headers, and no cached answer', async () => {
    const ask = () => api.http.get(widgetPath());
    await fromCache(ask);
    const refused = await sendRaw(
      api,
      `GET ${widgetPath()} HTTP/1.1`,
      'Host: x',
      'Origin: https://evil.example',
      'Transfer-Encoding: chunked',
      'Connection: close',
      '',
      'ZZZ',
    );
    expect(refused.status).toBe(400);
    expect(refused.headers).toMatchObject({
      'x-request-id': expect.any(String),
      'x-content-type-options': 'nosniff',
    });
    expect((await ask()).status).toBe(200);
  });

  it.each([
    ['an unknown parameter', 'utm_source=news'],
    ['a search', 'q=bay'],
    ['a language', 'lang=de'],
  ])('the cache stores no widget answer for a request with %s', async (_kind, parameter) => {
    const ask = () => api.http.get(`${widgetPath()}&${parameter}`);
    await ask();
    const before = await hits();
    expect((await ask()).status).toBe(200);
    expect(await hits()).toBe(before);
  });

  it('a cached widget answer serves every token of its tenant, and uses the quota of the token that was sent', async () => {
    const other = (await givenWidgetToken(api.db, shop.tenant)).token;
    await awaitInstances(api.db);
    const remaining: number[] = [];
    for (let n = 0; n < 3; n++) {
      const { headers } = await fromCache(() => api.http.get(widgetPath(other)));
      remaining.push(Number(headers['ratelimit-remaining']));
    }
    expect(remaining[0]! - remaining[2]!).toBeGreaterThanOrEqual(2);
    let response: Response;
    do response = await fromCache(() => api.http.get(widgetPath(other)));
    while (response.status === 200);
    expectProblem(response, 429, 'rate_limited');
    expect(response.headers).toMatchObject({
      'retry-after': expect.any(String),
      'ratelimit-remaining': '0',
      'cache-control': 'no-store',
      vary: 'Origin',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
    });
  });

  it('the metrics count a cached answer once, by its route', async () => {
    const labels = { method: 'GET', route: '/api/tenant/tours/:id_or_slug', status: 200 };
    const count = () => countOf('http_requests_total', labels);
    await shop.get(tourPath());
    const before = await count();
    let requests = 0;
    await fromCache(() => {
      requests += 1;
      return shop.get(tourPath());
    });
    expect(await count()).toBe(before + requests);
  });

  it('the API checks the scope, the number and the kind of the credentials before it answers from the cache', async () => {
    await fromCache(() => shop.get(CATALOG));
    const booker = await givenWebsite(api, {}, ['booking:create']);
    expectProblem(await booker.get(CATALOG), 401, 'insufficient_scope');
    const twice = await sendRaw(
      api,
      `GET ${CATALOG} HTTP/1.1`,
      'Host: x',
      `Authorization: ${shop.authorization}`,
      `Authorization: ${shop.authorization}`,
      'Connection: close',
    );
    expectProblem(twice, 400, 'multiple_credentials');
    expectProblem(await shop.get(`${CATALOG}&api_key=${token}`), 400, 'multiple_credentials');
    const widgetAsKey = await api.http.get(CATALOG).set({ authorization: `Bearer ${token}` });
    expectProblem(widgetAsKey, 401, 'wrong_credential_type');
  });

  it('the answer for a key in the URL is no-store and is not cached', async () => {
    const path = `${CATALOG}&api_key=${shop.key}`;
    for (let n = 0; n < 3; n++) {
      const { headers } = await api.http.get(path);
      expect([headers['cache-control'], headers.deprecation]).toEqual(['no-store', '@1795132800']);
    }
    expect((await fromCache(() => shop.get(CATALOG))).headers['cache-control']).toBe('private, no-cache');
  });
});

describe('the departures from the cache', () => {
  const seatsLeft = async (path = departuresPath()) =>
    (await fromCache(() => shop.get(path))).body.items[0].seats_available as number;

  it('cached departures show a hold and its release at once', async () => {
    await shop.get(departuresPath());
    const before = await seatsLeft();
    const { body } = await shop.hold(tour, { departure_date: date, quantity: 2 });
    expect(await seatsLeft()).toBe(before - 2);
    await shop.delete(`/api/gateway/holds/${body.hold_id}`);
    expect(await seatsLeft()).toBe(before);
  });

  it('cached departures show the seats of an expired hold as free, without any write', async () => {
    const there = await givenTour(api.db);
    const on = await givenDeparture(api.db, there, { seats: 5 });
    await insertHold(api.db, shop, there, on, { quantity: 3, secondsLeft: 3 });
    await awaitInstances(api.db);
    const path = `/api/tenant/tours/${there.slug}/departures`;
    expect((await shop.get(path)).body.items[0].seats_available).toBe(2);
    await sleep(3_100);
    expect(await seatsLeft(path)).toBe(5);
  });

  it('cached departures show a change from the terminal as soon as the command has returned', async () => {
    await shop.get(departuresPath());
    const before = await seatsLeft();
    await api.db('departures').where({ tour_id: tour.id }).increment('seats_total', 4);
    await awaitInstances(api.db);
    expect((await shop.get(departuresPath())).body.items[0].seats_available).toBe(before + 4);
  });
});
