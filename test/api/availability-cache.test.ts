import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApi, useTestApi } from '../support/api';
import {
  daysFromToday,
  givenDeparture,
  givenPriceRule,
  givenTour,
  type GivenTour,
  givenVisibilityRule,
  insertHold,
} from '../support/given';
import { expectProblem } from '../support/responses';
import { givenWebsite, useWebsite } from '../support/website';

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read', 'booking:create']);
let tour: GivenTour;
let date: string;
beforeEach(async () => {
  tour = await givenTour(api.db);
  date = await givenDeparture(api.db, tour, { seats: 5 });
});
afterEach(() => jest.restoreAllMocks());

const pathOf = (query = '', { slug } = tour) =>
  `/api/gateway/tours/${slug}/availability?departure_date=${date}${query}`;
const ask = (query = '', who = reader) => who.get(pathOf(query));
const cacheStatusOf = async (who = reader) => (await ask('', who)).headers['cache-status'];

/** Moves the wall clock and the monotonic clock of the process forward. */
function skip(milliseconds: number): void {
  const [now, tick] = [Date.now.bind(Date), performance.now.bind(performance)];
  jest.spyOn(Date, 'now').mockImplementation(() => now() + milliseconds);
  jest.spyOn(performance, 'now').mockImplementation(() => tick() + milliseconds);
}

describe('the cache of availability', () => {
  it('only a private cache may store an availability answer, and may serve it stale for 60 s', async () => {
    const { headers } = await ask();
    expect(headers).toMatchObject({
      'cache-control': 'private, max-age=0, stale-while-revalidate=60',
      vary: 'Authorization',
      age: '0',
      'cache-status': 'availability; fwd=miss',
    });
    expect(headers['cdn-cache-control']).toBeUndefined();
    expect(headers.etag).toBeUndefined();
  });

  it('an availability answer forbids caching when the key is in the URL', async () => {
    const { headers } = await api.http.get(pathOf(`&api_key=${reader.key}`));
    expect(headers['cache-control']).toBe('no-store');
  });

  it('the cache of availability serves an entry as fresh for 10 s and as stale for 60 s more, and then loads it again', async () => {
    const first = await ask();
    skip(8_000);
    const second = await ask();
    expect(second.headers).toMatchObject({ 'cache-status': 'availability; hit', age: '8' });
    expect(second.body).toEqual(first.body);
    jest.restoreAllMocks();
    skip(11_000);
    const stale = await ask();
    expect(stale.headers).toMatchObject({ 'cache-status': 'availability; fwd=stale', age: '11' });
    expect(stale.body).toEqual(first.body);
    let refreshed = await ask();
    while (refreshed.headers['cache-status'] === 'availability; fwd=stale') refreshed = await ask();
    expect(refreshed.headers).toMatchObject({ 'cache-status': 'availability; hit', age: '0' });
    expect(refreshed.body.as_of > first.body.as_of).toBe(true);
    jest.restoreAllMocks();
    skip(90_000);
    expect(await cacheStatusOf()).toBe('availability; fwd=miss');
  });

  it('the cache of availability refreshes an entry in the last tenth of its fresh time, before it is stale', async () => {
    await ask();
    skip(9_200);
    expect((await ask()).headers).toMatchObject({ 'cache-status': 'availability; hit', age: '9' });
    let refreshed = await ask();
    while (refreshed.headers.age === '9') refreshed = await ask();
    expect(refreshed.headers).toMatchObject({ 'cache-status': 'availability; hit', age: '0' });
  });

  it('tenants share a cached availability, and each request checks key, scope, visibility and price', async () => {
    const { db } = api;
    const other = await givenWebsite(api, {}, ['catalog:read']);
    await ask();
    expect(await cacheStatusOf(other)).toBe('availability; hit');
    await givenPriceRule(db, other, { percent: -50 });
    expect((await ask('', other)).body.tenant_prices).toEqual({ adult: 250, deposit: 50 });
    expect((await ask()).body.tenant_prices.adult).toBe(500);
    expect(await cacheStatusOf(other)).toBe('availability; hit');
    await givenVisibilityRule(db, other, tour, false);
    expectProblem(await ask('', other), 404, 'tour_not_found');
    await db('api_keys')
      .where({ tenant_id: other.tenant.id })
      .update({ scopes: ['booking:read'] });
    expectProblem(await ask('', other), 401, 'insufficient_scope');
    await db('api_keys').where({ tenant_id: other.tenant.id }).update({ revoked_at: db.fn.now() });
    expectProblem(await ask('', other), 401, 'key_revoked');
  });

  it('a hold, its release and a booking invalidate the cached availability', async () => {
    const seats = async () => [(await ask()).body.seats_available, await cacheStatusOf()];
    const expectReloaded = async (free: number) => {
      expect(await cacheStatusOf()).toBe('availability; fwd=miss');
      expect(await seats()).toEqual([free, 'availability; hit']);
    };
    expect(await seats()).toEqual([5, 'availability; hit']);
    const hold = await reader.hold(tour, { departure_date: date, quantity: 2 });
    await expectReloaded(3);
    expect((await reader.delete(`/api/gateway/holds/${hold.body.hold_id}`)).status).toBe(204);
    await expectReloaded(5);
    expect((await reader.book({ tour_id: tour.id, departure_date: date, adults: 4 })).status).toBe(201);
    await expectReloaded(1);
  });

  it('a cached entry expires together with a hold that it counted', async () => {
    await insertHold(api.db, reader, tour, date, { quantity: 5, secondsLeft: 1.2 });
    expect((await ask()).body).toMatchObject({ status: 'sold_out', seats_available: 0 });
    expect(await cacheStatusOf()).toBe('availability; hit');
    await sleep(1300);
    const after = await ask();
    expect(after.headers['cache-status']).toBe('availability; fwd=miss');
    expect(after.body).toMatchObject({ status: 'available', seats_available: 5 });
  });

  it('a cached entry expires when the departure closes', async () => {
    await changeDeparture({ closes_at: new Date(Date.now() + 1200) });
    expect((await ask()).body.status).toBe('available');
    await sleep(1300);
    expect((await ask()).body).toMatchObject({ status: 'closed', available: false });
  });

  it('a change of a departure from the terminal invalidates the cached availability of its date', async () => {
    await ask();
    await changeDeparture({ seats_total: 50 });
    expect((await ask()).body.seats_available).toBe(50);
    date = daysFromToday(77);
    expect((await ask()).body.status).toBe('gone');
    expect(await cacheStatusOf()).toBe('availability; hit');
    await givenDeparture(api.db, tour, { date });
    await changeDeparture({});
    expect((await ask()).body).toMatchObject({ status: 'available', seats_available: 10 });
  });
});

describe('the setting CDN_CACHE', () => {
  it('CDN_CACHE=on adds CDN-Cache-Control, except when the key is in the URL', async () => {
    const other = await startTestApi({ cdnCache: true });
    const there = await givenWebsite(other, {}, ['catalog:read']);
    const cruise = await givenTour(other.db);
    const { headers } = await there.get(pathOf('', cruise));
    expect(headers['cdn-cache-control']).toMatch(/^max-age=10\b/);
    expect(
      (await other.http.get(pathOf(`&api_key=${there.key}`, cruise))).headers['cdn-cache-control'],
    ).toBeUndefined();
    await other.stop();
  });
});

/** Changes the departure and the tour's revision, as the terminal does. */
async function changeDeparture(columns: Record<string, unknown>): Promise<void> {
  const { db } = api;
  if (Object.keys(columns).length > 0) await db('departures').where({ tour_id: tour.id }).update(columns);
  await db('tours').where({ id: tour.id }).increment('revision', 1);
}
